import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { clipped, formatCount, formatSize } from "../kit/elements/format.ts";
import { externalLink } from "../kit/links/external-link.ts";
import type { Site } from "../kit/page/model.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { formatRelativeTime } from "../kit/elements/relative-time.ts";
import { pair } from "../kit/elements/tables.ts";
import type { NpmLicense, NpmPage, NpmTag } from "./model.ts";
import { npmPackagePath, tarballPath } from "../kit/links/npm-address.ts";
import { keywordList, maintainerLinks } from "./related-npm-searches.ts";
import { repositoryAddress } from "./repository-address.ts";

const TEXT_LENGTH_MAX = 200;
const URL_SHOWN_MAX = 60;
const URL_LENGTH_MAX = 2_048;
const LIST_SHOWN_MAX = 20;

/** Renders the facts, links and dist-tags of a version. */
export function npmAboutCards(page: NpmPage, site: Site, address: PublicAddress): Html {
  return html`${factsCard(page, site)} ${linksCard(page, address)} ${tagsCard(page, address)}`;
}

export function npmDetailsCard(page: NpmPage, address: PublicAddress): Html | false {
  const { engines, commands, maintainers, keywords } = page;
  const runsOn = engines.slice(0, LIST_SHOWN_MAX).map(({ name, range }) => `${name} ${range}`);
  if (runsOn.length + commands.length + maintainers.length + keywords.length === 0) return false;
  return html`<section class="card" aria-labelledby="details">
    <h2 id="details">Details</h2>
    <dl class="pairs">
      ${maintainers.length > 0 && pair("Maintainers", maintainerLinks(maintainers, address))}
      ${runsOn.length > 0 && pair("Engines", clipped(runsOn.join(", "), TEXT_LENGTH_MAX))}
      ${commands.length > 0 && pair("Commands", commandList(commands))}
      ${keywords.length > 0 && pair("Keywords", keywordList(keywords, address))}
    </dl>
  </section>`;
}

function factsCard(page: NpmPage, { now }: Site): Html {
  const time = page.publishedAt.toISOString();
  const published = html`<time datetime="${time}" title="${time}"
    >${formatRelativeTime(page.publishedAt, now)}</time
  >`;
  const files = `${formatCount(page.fileCount)} ${page.fileCount === 1 ? "file" : "files"}`;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Facts</h2>
    <dl class="pairs numbers">
      ${pair("Published", published)}
      ${pair("Publisher", clipped(page.publishedBy, TEXT_LENGTH_MAX))}
      ${page.license && pair("License", licenseText(page.license))}
      ${pair("Size", `${formatSize(page.size)} packed`)}
      ${pair("Unpacked", `${formatSize(page.unpackedSize)}, ${files}`)}
      ${pair("Downloads of this version", formatCount(page.downloads))}
    </dl>
  </section>`;
}

function licenseText({ text, url }: NpmLicense): Html {
  const shown = clipped(text, TEXT_LENGTH_MAX);
  return url === undefined ? html`<span>${shown}</span>` : externalLink(url, shown);
}

function linksCard(page: NpmPage, address: PublicAddress): Html {
  const { name, version, homepage, repository, bugs } = page;
  const source = repository && repositoryAddress(repository.url);
  const folder =
    repository?.directory !== undefined &&
    html`<span class="soft">in ${clipped(repository.directory, TEXT_LENGTH_MAX)}</span>`;
  return html`<section class="card" aria-labelledby="links">
    <h2 id="links">Links and files</h2>
    <ul class="plain">
      ${homepage !== undefined && linkItem("Home page", homepage)}
      ${
        repository &&
        (source === undefined
          ? html`<li>Source <span class="soft">${shownUrl(repository.url)}</span> ${folder}</li>`
          : linkItem("Source", source, folder))
      }
      ${bugs !== undefined && linkItem("Report a problem", bugs)}
      <li><a href="${tarballPath(address, name, version)}" download>Download the tarball</a></li>
    </ul>
  </section>`;
}

/** Renders a link with its host, so that the reader sees the target. */
function linkItem(text: string, url: string, more: Html | false = false): Html {
  const parsed = url.length <= URL_LENGTH_MAX ? URL.parse(url) : undefined;
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (!isWeb) return html`<li>${text} <span class="soft">${shownUrl(url)}</span></li>`;
  parsed.username = "";
  parsed.password = "";
  const place = shownUrl(parsed.href.replace(/^https?:\/\//, "").replace(/\/$/, ""));
  return html`<li>
    ${externalLink(parsed.href, text)} <span class="soft">${place}</span> ${more}
  </li>`;
}

function shownUrl(url: string): string {
  return clipped(url, URL_SHOWN_MAX);
}

function tagsCard({ name, tags }: NpmPage, address: PublicAddress): Html | false {
  if (tags.length === 0) return false;
  const hidden = tags.length - LIST_SHOWN_MAX;
  const item = ({ tag, version }: NpmTag) =>
    pair(tag, html`<a href="${npmPackagePath(address, { name, version })}">${version}</a>`);
  return html`<section class="card" aria-labelledby="dist-tags">
    <h2 id="dist-tags">Tags</h2>
    <dl class="pairs numbers">${tags.slice(0, LIST_SHOWN_MAX).map(item)}</dl>
    ${hidden > 0 && html`<p class="soft">And ${formatCount(hidden)} more.</p>`}
  </section>`;
}

function commandList(commands: readonly string[]): Html {
  const hidden = commands.length - LIST_SHOWN_MAX;
  const shown = commands
    .slice(0, LIST_SHOWN_MAX)
    .map((command) => html`<code>${clipped(command, TEXT_LENGTH_MAX)}</code>`);
  return html`${shown.map((command, index) => [index > 0 && ", ", command])}
  ${hidden > 0 && html`and ${hidden} more`}`;
}
