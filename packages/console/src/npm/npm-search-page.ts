import { searchTotalMax } from "@sealhouse/npm-protocol";
import { html } from "hono/html";
import { clipped, countOf, formatCount, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { stateBadges } from "../kit/elements/badges.ts";
import type { Site } from "../kit/page/model.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import { PARCEL } from "../kit/page/icons.ts";
import {
  resultsPager,
  searchField,
  selectField,
  TEXT_LENGTH_MAX,
} from "../kit/forms/search-fields.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { formatRelativeTime } from "../kit/elements/relative-time.ts";
import { npmPackagePath, npmSearchPath } from "../kit/links/npm-address.ts";
import { NPM_PAGES } from "../kit/page/page-paths.ts";
import type { NpmHit, NpmQuery, NpmSearchAnswer } from "./model.ts";
import { npmParametersOf } from "./npm-query.ts";
import { keywordList, maintainerLinks } from "./related-npm-searches.ts";

type SearchResults = Extract<NpmSearchAnswer, { readonly status: "found" }>;

const KEYWORDS_SHOWN_MAX = 8;
const DESCRIPTION_LENGTH_MAX = 400;

/** Renders `GET /npm-packages`. */
export function npmSearchPageResponse(
  site: Site,
  address: PublicAddress,
  search: { readonly query: NpmQuery; readonly answer: SearchResults },
): Promise<Response> {
  const { query } = search;
  const main = html`<main class="wrap one" id="content">
    <h1>npm packages</h1>
    ${npmSearchForm(query, address)} ${results(site, address, search)}
  </main>`;
  const title = query.text === "" ? "npm packages" : `${query.text} - npm packages`;
  return pageResponse(site, address, { title, main, bar: { search: false }, isForReaders: true });
}

function results(
  site: Site,
  address: PublicAddress,
  { query, answer }: { readonly query: NpmQuery; readonly answer: SearchResults },
): Html {
  const { hits, totalHits } = answer;
  if (hits.length === 0) return nothingFound(query, address, totalHits);
  const to = (skip: number) => npmSearchPath(address, npmParametersOf({ ...query, skip }));
  // A page may show fewer hits, because the caller may not read all of them.
  const hasMore = query.skip + query.take < totalHits;
  const range = `${formatCount(query.skip + 1)} to ${formatCount(query.skip + hits.length)}`;
  return html`<section aria-labelledby="results">
    <h2 id="results" class="summary">${howMany(query, totalHits)}, showing ${range}</h2>
    <ul class="hits">
      ${hits.map((hit) => hitItem(hit, site, address))}
    </ul>
    ${resultsPager(query, { hasMore, to })}
  </section>`;
}

/** Hits beyond a limit are not counted. */
function howMany({ skip, take }: NpmQuery, totalHits: number): string {
  const isAtLeast = totalHits >= searchTotalMax({ from: skip, size: take });
  return `${isAtLeast ? "At least " : ""}${countOf(totalHits, "package")}`;
}

function nothingFound(query: NpmQuery, address: PublicAddress, totalHits: number): Html {
  const isFiltered = query.text !== "" || !query.deprecated || !query.unstable;
  const all = html`<a href="${npmSearchPath(address, new URLSearchParams())}"
    >Show all npm packages</a
  >`;
  if (query.skip > 0) {
    const first = npmSearchPath(address, npmParametersOf({ ...query, skip: 0 }));
    return html`<p class="empty">
      There are ${countOf(totalHits, "package")}, and this page is after the last one.
      <a href="${first}">Go to the first page</a>.
    </p>`;
  }
  return isFiltered
    ? html`<p class="empty">No matching package. Try fewer words or filters. ${all}.</p>`
    : html`<p class="empty">
        No packages yet.
        <a href="${address.root}/">The front page</a> shows how to publish one.
      </p>`;
}

function hitItem(hit: NpmHit, { now }: Site, address: PublicAddress): Html {
  const { name, version, maintainers } = hit;
  const time = hit.publishedAt.toISOString();
  const by =
    maintainers.length > 0 &&
    html`<span>maintained by ${maintainerLinks(maintainers, address)}</span>`;
  return html`<li class="hit">
    ${PARCEL}
    <div>
      <h3>
        <a href="${npmPackagePath(address, { name })}">${wrapName(name)}</a>
        <a class="version" href="${npmPackagePath(address, { name, version })}">${version}</a>
      </h3>
      <p class="badges">${stateBadges(hit)}</p>
      <p class="description">${clipped(hit.description, DESCRIPTION_LENGTH_MAX)}</p>
      <p class="meta">
        <span
          >published
          <time datetime="${time}">${formatRelativeTime(hit.publishedAt, now)}</time></span
        >
        ${by}
      </p>
      ${keywordList(hit.keywords.slice(0, KEYWORDS_SHOWN_MAX), address)}
    </div>
  </li>`;
}

const SHOWN: readonly (readonly [value: string, text: string])[] = [
  ["true", "Included"],
  ["false", "Excluded"],
];

/** Renders the search form with the filters of `npm search`. It needs no script. */
export function npmSearchForm(query: NpmQuery, { root }: PublicAddress): Html {
  const { text, deprecated, unstable } = query;
  return html`<form class="card search" action="${root}${NPM_PAGES}" role="search">
    ${searchField({
      label: "Search npm packages",
      value: text,
      lengthMax: TEXT_LENGTH_MAX,
      help: html`Words of the name, description or keywords, or one of <code>keywords:</code>
        <code>scope:</code> <code>maintainer:</code>`,
    })}
    <div class="filters">
      ${selectField({
        name: "deprecated",
        label: "Deprecated packages",
        options: SHOWN,
        chosen: String(deprecated),
      })}
      ${selectField({
        name: "unstable",
        label: "Prereleases and 0.x",
        options: SHOWN,
        chosen: String(unstable),
      })}
    </div>
  </form>`;
}
