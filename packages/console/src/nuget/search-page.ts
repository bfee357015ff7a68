import { html } from "hono/html";
import { countOf, formatCount, formatShortCount, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { formatRelativeTime } from "../kit/elements/relative-time.ts";
import { stateBadges, typeBadges } from "../kit/elements/badges.ts";
import { packagePath, searchPath } from "../kit/links/nuget-address.ts";
import type { PackageHit, PackageQuery, PackageSearchAnswer } from "./model.ts";
import type { Site } from "../kit/page/model.ts";
import { packageIcon } from "./package-icon.ts";
import { ownerLinks, tagList } from "./related-searches.ts";
import { resultsPager } from "../kit/forms/search-fields.ts";
import { searchForm } from "./search-form.ts";
import { parametersOf } from "./search-query.ts";

type SearchResults = Extract<PackageSearchAnswer, { readonly status: "found" | "invalid" }>;

const TAGS_SHOWN_MAX = 8;
const DESCRIPTION_LENGTH_MAX = 400;

/** Renders `GET /packages`. */
export function searchPageResponse(
  site: Site,
  address: PublicAddress,
  search: { readonly query: PackageQuery; readonly answer: SearchResults },
): Promise<Response> {
  const { query, answer } = search;
  const content =
    answer.status === "invalid"
      ? html`<p class="banner warn" role="alert">${answer.problem}</p>`
      : results(site, address, { query, answer });
  const main = html`<main class="wrap one" id="content">
    <h1>Packages</h1>
    ${searchForm(query, address)} ${content}
  </main>`;
  const title = query.text === "" ? "Packages" : `${query.text} - Packages`;
  return pageResponse(
    site,
    address,
    { title, main, bar: { search: false }, isForReaders: true },
    { status: answer.status === "invalid" ? 400 : 200 },
  );
}

type Results = Extract<SearchResults, { readonly status: "found" }>;

function results(
  site: Site,
  address: PublicAddress,
  { query, answer }: { readonly query: PackageQuery; readonly answer: Results },
): Html {
  const { hits, totalHits } = answer;
  if (hits.length === 0) return nothingFound(query, address, totalHits);
  const last = query.skip + hits.length;
  const to = (skip: number) => searchPath(address, parametersOf({ ...query, skip }));
  const range = `${formatCount(query.skip + 1)} to ${formatCount(last)}`;
  return html`<section aria-labelledby="results">
    <h2 id="results" class="summary">${countOf(totalHits, "package")}, showing ${range}</h2>
    <ul class="hits">
      ${hits.map((hit) => hitItem(hit, site, address))}
    </ul>
    ${resultsPager(query, { hasMore: last < totalHits, to })}
  </section>`;
}

function nothingFound(query: PackageQuery, address: PublicAddress, totalHits: number): Html {
  const isFiltered =
    query.text !== "" || query.packageType !== "" || query.framework !== "" || !query.prerelease;
  const first = html`<a href="${searchPath(address, parametersOf({ ...query, skip: 0 }))}"
    >Go to the first page</a
  >`;
  const all = html`<a href="${searchPath(address, new URLSearchParams())}">Show all packages</a>`;
  if (totalHits > 0) {
    return html`<p class="empty">
      There are ${countOf(totalHits, "package")}, and this page is after the last one. ${first}.
    </p>`;
  }
  return isFiltered
    ? html`<p class="empty">No matching package. Try fewer words or filters. ${all}.</p>`
    : html`<p class="empty">
        No packages yet.
        <a href="${address.root}/">The front page</a> shows how to push one.
      </p>`;
}

function hitItem(hit: PackageHit, { now }: Site, address: PublicAddress): Html {
  const time = hit.publishedAt.toISOString();
  const title = hit.title !== undefined && hit.title !== hit.id && hit.title;
  const downloads = formatShortCount(hit.downloads);
  const owners =
    hit.owners.length > 0 && html`<span>published by ${ownerLinks(hit.owners, address)}</span>`;
  return html`<li class="hit">
    ${packageIcon(hit, address)}
    <div>
      <h3>
        <a href="${packagePath(address, { id: hit.id })}">${wrapName(hit.id)}</a>
        <a class="version" href="${packagePath(address, hit)}">${hit.version}</a>
      </h3>
      ${title && html`<p class="soft">${title}</p>`}
      <p class="badges">${typeBadges(hit.packageTypes)}${stateBadges(hit)}</p>
      <p class="description">${shortened(hit.description)}</p>
      <p class="meta">
        <span>${downloads} ${hit.downloads === 1 ? "download" : "downloads"}</span>
        <span
          >updated <time datetime="${time}">${formatRelativeTime(hit.publishedAt, now)}</time></span
        >
        ${hit.authors !== "" && html`<span>by ${hit.authors}</span>`} ${owners}
      </p>
      ${tagList(hit.tags.slice(0, TAGS_SHOWN_MAX), address)}
    </div>
  </li>`;
}

function shortened(text: string): string {
  if (text.length <= DESCRIPTION_LENGTH_MAX) return text;
  return `${text.slice(0, DESCRIPTION_LENGTH_MAX).trimEnd()}…`;
}
