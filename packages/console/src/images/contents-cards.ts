import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { clipped, countOf, formatCount, formatSize } from "../kit/elements/format.ts";
import { andMore, pair, table } from "../kit/elements/tables.ts";
import { badge } from "../kit/elements/badges.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { attachedName, kindName, layerName } from "./artifact-names.ts";
import { imagePath } from "../kit/links/image-address.ts";
import type {
  HistoryStep,
  ImageConfig,
  ImageContents,
  ImagePage,
  LayerRow,
  PlatformAttachment,
  PlatformRow,
  RunConfig,
  TextList,
} from "./model.ts";
import { pairList, shortDigest } from "./parts.ts";

type Indexed = Extract<ImageContents, { readonly type: "index" }>;
type Layered = Extract<ImageContents, { readonly type: "image" }>;

const STEP_LENGTH_MAX = 1_000;
const WORD_LENGTH_MAX = 300;
/** Attached manifests of one platform. */
const ATTACHED_SHOWN_MAX = 5;

/** Renders the contents of a manifest: platforms, or config, layers and history. */
export function contentsCards({ repository, contents }: ImagePage, address: PublicAddress): Html {
  switch (contents.type) {
    case "index":
      return platformsCard(contents, repository, address);
    case "image":
      return html`${configCard(contents.config)} ${layersCard(contents)}
      ${historyCard(contents.config)}`;
    case "unreadable":
      return html`<section class="banner warn" aria-labelledby="unreadable">
        <h2 id="unreadable">Unknown manifest format</h2>
        <p>This page cannot show the contents. Clients can still pull the manifest.</p>
      </section>`;
  }
}

function platformsCard(
  { total, hidden, platforms, totalSize }: Indexed,
  repository: string,
  address: PublicAddress,
): Html {
  const heads = [
    { text: "Platform" },
    { text: "Manifest" },
    { text: "Kind" },
    { text: "Attached" },
    { text: "Size", isNumber: true },
  ];
  const rows = platforms.map((platform) => platformRow(platform, repository, address));
  return html`<section class="card" aria-labelledby="platforms">
    <h2 id="platforms">Platforms</h2>
    ${
      totalSize > 0 &&
      html`<p class="soft">
        ${countOf(platforms.length, "platform")}, ${formatSize(totalSize)} in all.
      </p>`
    }
    ${
      total === 0
        ? html`<p class="soft">The index is empty.</p>`
        : table("Manifests, in the order of the index", heads, rows)
    }
    ${andMore(hidden)}
  </section>`;
}

function platformRow(row: PlatformRow, repository: string, address: PublicAddress): Html {
  const { digest, platform, statementAbout, present, size, attached } = row;
  const short = html`<code>${shortDigest(digest)}</code>`;
  const link = html`<a href="${imagePath(address, repository, digest)}">${short}</a>`;
  const about =
    statementAbout !== undefined &&
    html`<span class="soft">about <code>${shortDigest(statementAbout)}</code></span>`;
  const kind = statementAbout === undefined ? kindName(row) : "Build attestation";
  return html`<tr>
    <th scope="row">${platform === undefined ? "any" : clipped(platform, WORD_LENGTH_MAX)}</th>
    <td>${present ? link : short} ${!present && badge("absent", "warn")}</td>
    <td>${kind} ${about}</td>
    <td>${attachments(attached, repository, address)}</td>
    <td class="number">${size === undefined ? "–" : formatSize(size)}</td>
  </tr>`;
}

function attachments(
  attached: readonly PlatformAttachment[],
  repository: string,
  address: PublicAddress,
): Html {
  if (attached.length === 0) return html`<span class="soft">none</span>`;
  const hidden = attached.length - ATTACHED_SHOWN_MAX;
  const item = (row: PlatformAttachment) =>
    html`<li>
      <a href="${imagePath(address, repository, row.digest)}"
        >${row.isListed ? "Build attestation" : attachedName(row)}</a
      >
    </li>`;
  return html`<ul class="plain">
    ${attached.slice(0, ATTACHED_SHOWN_MAX).map(item)}
    ${hidden > 0 && html`<li class="soft">and ${formatCount(hidden)} more</li>`}
  </ul>`;
}

function layersCard({ layers, layerCount, totalSize }: Layered): Html {
  const heads = [
    { text: "#", isNumber: true },
    { text: "Digest" },
    { text: "Kind" },
    { text: "Size", isNumber: true },
  ];
  const row = ({ digest, mediaType, size, title }: LayerRow, index: number) =>
    html`<tr>
      <td class="number">${index + 1}</td>
      <td>
        <code title="${digest}">${shortDigest(digest)}</code>
        ${title !== undefined && html`<br /><span class="soft">${clipped(title, 120)}</span>`}
      </td>
      <td>${clipped(layerName(mediaType), 120)}</td>
      <td class="number">${formatSize(size)}</td>
    </tr>`;
  return html`<section class="card" aria-labelledby="layers">
    <h2 id="layers">Layers</h2>
    <p class="soft">${countOf(layerCount, "layer")}, ${formatSize(totalSize)} with the config.</p>
    ${layers.length > 0 && table("Layers, lowest first", heads, layers.map(row))}
    ${andMore(layerCount - layers.length)}
  </section>`;
}

const NO_CONFIG = {
  foreign: "This is an artifact, not a runnable image.",
  absent: "The config no longer exists.",
  "too-large": "The config is larger than 1 MiB, so this page does not show it.",
  unreadable: "The config is not a valid image configuration.",
} as const;

function configCard(read: ImageConfig): Html | false {
  if (read.status === "foreign") return false;
  return html`<section class="card" aria-labelledby="config">
    <h2 id="config">Configuration</h2>
    ${
      read.status === "read"
        ? configFacts(read.config)
        : html`<p class="soft">${NO_CONFIG[read.status]}</p>`
    }
  </section>`;
}

function configFacts(config: RunConfig): Html {
  const { platform, entrypoint, command, user, workingDir, stopSignal, author } = config;
  const { environment, ports, volumes, labels } = config;
  return html`<dl class="pairs">
      ${platform !== undefined && pair("Platform", word(platform))}
      ${entrypoint.length > 0 && pair("Entry point", words(entrypoint))}
      ${command.length > 0 && pair("Command", words(command))}
      ${pair("User", user === undefined ? "root (default)" : word(user))}
      ${workingDir !== undefined && pair("Working folder", word(workingDir))}
      ${ports.total > 0 && pair("Ports", list(ports))}
      ${volumes.total > 0 && pair("Volumes", list(volumes))}
      ${stopSignal !== undefined && pair("Stop signal", word(stopSignal))}
      ${author !== undefined && pair("Author", clipped(author, WORD_LENGTH_MAX))}
    </dl>
    ${
      environment.total > 0 &&
      html`<details>
        <summary>Environment (${formatCount(environment.total)})</summary>
        <pre><code>${linesOf(environment)}</code></pre>
        ${andMore(environment.total - environment.shown.length)}
      </details>`
    }
    ${
      labels.total > 0 &&
      html`<details>
        <summary>Labels (${formatCount(labels.total)})</summary>
        ${pairList(labels)}
      </details>`
    }`;
}

function historyCard(read: ImageConfig): Html | false {
  if (read.status !== "read" || read.config.history.total === 0) return false;
  const { total, steps } = read.config.history;
  return html`<section class="card" aria-labelledby="history">
    <h2 id="history">History</h2>
    <details>
      <summary>${countOf(total, "step")}, oldest first</summary>
      <ol class="history">
        ${steps.map(historyItem)}
      </ol>
      ${andMore(total - steps.length)}
    </details>
  </section>`;
}

function historyItem({ text, comment, size, createdAt }: HistoryStep): Html {
  const day = createdAt?.toISOString().slice(0, 10);
  return html`<li>
    <pre><code>${clipped(text, STEP_LENGTH_MAX) || "(empty)"}</code></pre>
    <p class="soft">
      ${size === undefined ? "No layer" : formatSize(size)}
      ${day !== undefined && html`· <time datetime="${day}">${day}</time>`}
      ${comment !== undefined && html`· ${clipped(comment, WORD_LENGTH_MAX)}`}
    </p>
  </li>`;
}

function linesOf({ shown }: TextList): string {
  return shown.map((text) => clipped(text, WORD_LENGTH_MAX)).join("\n");
}

function word(text: string): Html {
  return html`<code class="long">${clipped(text, WORD_LENGTH_MAX)}</code>`;
}

/** Formats as JSON, so that the boundaries between words are visible. */
function words(all: readonly string[]): Html {
  return word(JSON.stringify(all));
}

function list({ total, shown }: TextList): Html {
  const hidden = total - shown.length;
  return html`${shown.map((text, index) => [index > 0 && ", ", word(text)])}
  ${hidden > 0 && html`and ${formatCount(hidden)} more`}`;
}
