import { html } from "hono/html";
import { clipped, formatCount, formatSize, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { andMore, pair, timeAgo } from "../kit/elements/tables.ts";
import { badge } from "../kit/elements/badges.ts";
import type { Site } from "../kit/page/model.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import { PARCEL } from "../kit/page/icons.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { withheldBanner } from "../kit/packages/withheld-versions.ts";
import { choices, copyable } from "../kit/clients/snippets.ts";
import { attachedName, kindName } from "./artifact-names.ts";
import { contentsCards } from "./contents-cards.ts";
import {
  deletionPath,
  formatImage,
  imagePath,
  repositoryPath,
} from "../kit/links/image-address.ts";
import type { AttachedRow, ImageContents, ImagePage, ImageSeal } from "./model.ts";
import { pairList, shortDigest } from "./parts.ts";
import { pullLines } from "./pull-lines.ts";

const NEWER_HELD = "A newer image of this tag is held back";

/** Renders `GET /images/{name}:{tag}` and `GET /images/{name}@{digest}`. */
export function imagePageResponse(
  site: Site,
  address: PublicAddress,
  page: ImagePage,
): Promise<Response> {
  const { repository, tag, digest } = page;
  const reference = tag ?? digest;
  const main = html`<main id="content">
    ${pageHead(page, address)}
    <div class="wrap columns">
      <div class="stack">
        ${page.withheld && withheldBanner(page.withheld, NEWER_HELD)}
        ${pullCard(page, site, address)} ${contentsCards(page, address)} ${annotationsCard(page)}
      </div>
      <div class="stack">
        ${factsCard(page, site, address)} ${sealCard(page.seal)}
        ${attachedCard(page, site, address)} ${deletionCard(page, address)}
      </div>
    </div>
  </main>`;
  const canonical = new URL(imagePath(address, repository, reference), address.base).href;
  const title = `${formatImage(repository, tag ?? shortDigest(digest))} - Images`;
  return pageResponse(site, address, {
    title,
    main,
    bar: { of: "oci" },
    canonical,
    isForReaders: true,
  });
}

function pageHead(page: ImagePage, address: PublicAddress): Html {
  const { repository, tag, digest, tags, seal } = page;
  const untagged = tag === undefined && tags.total === 0;
  return html`<div class="top package">
    <div class="wrap">
      ${PARCEL}
      <div>
        <h1>
          <a href="${repositoryPath(address, repository)}">${wrapName(repository)}</a>
          <span class="version">${tag ?? shortDigest(digest)}</span>
        </h1>
        <p class="badges">
          ${badge(kindName(page), "kind")} ${seal.status === "signed" && badge("Signed", "kind")}
          ${untagged && badge("No tag", "warn")}
        </p>
      </div>
    </div>
  </div>`;
}

function pullCard(page: ImagePage, site: Site, address: PublicAddress): Html {
  const snippets = pullLines(page, address, site);
  const { secure, local, host } = address;
  return html`<section class="card" aria-labelledby="pull">
    <h2 id="pull">Pull</h2>
    ${snippets.length > 0 && choices("client", "Kind of client", snippets)}
    ${
      !secure &&
      !local &&
      html`<p class="note">
        This address is http. Docker accepts it with
        <code>{ "insecure-registries": ["${host}"] }</code> in daemon.json.
      </p>`
    }
    <details>
      <summary>Digest</summary>
      ${copyable("digest", { label: "Manifest digest", lines: [page.digest], kind: "file" })}
    </details>
  </section>`;
}

function factsCard(page: ImagePage, { now }: Site, address: PublicAddress): Html {
  const { contents, pushedAt, pulledAt, pulls, size, subject, repository, parents } = page;
  const { isSubjectHere } = page;
  const { artifactType, mediaType } = page;
  const link = (digest: string) =>
    html`<a href="${imagePath(address, repository, digest)}"
      ><code>${shortDigest(digest)}</code></a
    >`;
  const config = contents.type === "image" && contents.config;
  const builtAt = config && config.status === "read" ? config.config.createdAt : undefined;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Facts</h2>
    <dl class="pairs numbers">
      ${contents.type === "image" && pair("Size", formatSize(contents.totalSize))}
      ${contents.type === "index" && indexFacts(contents)} ${pair("Pushed", timeAgo(pushedAt, now))}
      ${builtAt && pair("Created", timeAgo(builtAt, now))}
      ${pulledAt && pair("Last pull of this tag", timeAgo(pulledAt, now))}
      ${pair("Pulls of the repository", formatCount(pulls))}
      ${
        subject !== undefined &&
        pair("Subject", isSubjectHere ? link(subject) : html`<code>${shortDigest(subject)}</code>`)
      }
      ${parents.length > 0 && pair("Listed in", html`${parents.map(({ digest }) => link(digest))}`)}
    </dl>
    ${tagList(page, address)}
    <details>
      <summary>Manifest</summary>
      <dl class="pairs">
        ${pair("Size of the manifest", formatSize(size))}
        ${pair("Media type", html`<code class="long">${clipped(mediaType, 200)}</code>`)}
        ${
          artifactType !== undefined &&
          pair("Artifact type", html`<code class="long">${clipped(artifactType, 200)}</code>`)
        }
      </dl>
    </details>
  </section>`;
}

function indexFacts({ platforms, totalSize }: Extract<ImageContents, { type: "index" }>): Html {
  return html`${pair("Platforms", formatCount(platforms.length))}
  ${totalSize > 0 && pair("Size of all platforms", formatSize(totalSize))}`;
}

function tagList({ repository, tags }: ImagePage, address: PublicAddress): Html | false {
  if (tags.total === 0) return false;
  return html`<h3 class="apart">Tags</h3>
    <ul class="tags">
      ${tags.names.map(
        (tag) => html`<li><a href="${imagePath(address, repository, tag)}">${tag}</a></li>`,
      )}
    </ul>
    ${andMore(tags.total - tags.names.length)}`;
}

function annotationsCard({ annotations }: ImagePage): Html | false {
  if (annotations.total === 0) return false;
  return html`<section class="card" aria-labelledby="annotations">
    <h2 id="annotations">Annotations</h2>
    ${pairList(annotations)}
  </section>`;
}

function sealCard(seal: ImageSeal): Html | false {
  if (seal.status === "off") return false;
  return html`<section class="card" aria-labelledby="seal">
    <h2 id="seal">Registry signature</h2>
    ${sealText(seal)}
  </section>`;
}

function sealText(seal: Exclude<ImageSeal, { readonly status: "off" }>): Html {
  switch (seal.status) {
    case "signed":
      return html`<p>Signed by this registry (${seal.formats.join(", ")}) and verified now.</p>`;
    case "other-key":
      return html`<p>
        <strong>A signature claims to be from this registry, but does not match its keys.</strong>
        The registry has replaced its key, or another party made the signature.
      </p>`;
    case "unchecked":
      return html`<p class="soft">The signature could not be verified now.</p>`;
    case "unsigned":
      return html`<p class="soft">This registry has not signed this image.</p>`;
  }
}

function attachedCard(page: ImagePage, { now }: Site, address: PublicAddress): Html {
  const { repository, attached } = page;
  const { total, rows } = attached;
  const item = (row: AttachedRow) =>
    html`<li>
      <a href="${imagePath(address, repository, row.digest)}">${attachedName(row)}</a>
      <span class="soft"
        ><code>${shortDigest(row.digest)}</code>, ${timeAgo(row.pushedAt, now)}</span
      >
    </li>`;
  return html`<section class="card" aria-labelledby="attached">
    <h2 id="attached">Signatures, SBOMs and other artifacts</h2>
    ${
      total === 0
        ? html`<p class="soft">No artifact refers to this image.</p>`
        : html`<ul class="plain">
            ${rows.map(item)}
          </ul>`
    }
    ${andMore(total - rows.length)}
  </section>`;
}

function deletionCard(page: ImagePage, address: PublicAddress): Html | false {
  const { deletable, repository, tag, digest } = page;
  if (!deletable) return false;
  const to = (reference: string) => deletionPath(address, repository, reference);
  return html`<section class="card" aria-labelledby="deletion">
    <h2 id="deletion">Delete</h2>
    <ul class="plain">
      ${tag !== undefined && html`<li><a href="${to(tag)}">Delete the tag ${tag}</a></li>`}
      <li><a href="${to(digest)}">Delete the manifest and all its tags</a></li>
    </ul>
    <p class="note">Requires a token with the scope <code>delete</code>, and a confirmation.</p>
  </section>`;
}
