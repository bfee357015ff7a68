import { html } from "hono/html";
import { countOf, formatCount, formatShortCount, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import type { Site } from "../kit/page/model.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import { PARCEL } from "../kit/page/icons.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { searchField } from "../kit/forms/search-fields.ts";
import { repositoriesPath, repositoryPath } from "../kit/links/image-address.ts";
import { IMAGE_PAGES } from "../kit/page/page-paths.ts";
import { QUERY_LENGTH_MAX } from "./image-query.ts";
import type { RepositoriesAnswer, RepositoriesQuery, RepositoryHit } from "./model.ts";
import { timeAgo } from "../kit/elements/tables.ts";

type RepositoryList = Extract<RepositoriesAnswer, { readonly status: "found" }>;

/** Renders `GET /images`. */
export function repositoriesPageResponse(
  site: Site,
  address: PublicAddress,
  search: { readonly query: RepositoriesQuery; readonly answer: RepositoryList },
): Promise<Response> {
  const { query } = search;
  const main = html`<main class="wrap one" id="content">
    <h1>Container images</h1>
    ${searchForm(query, address)} ${results(site, address, search)}
  </main>`;
  const title = query.text === "" ? "Container images" : `${query.text} - Container images`;
  return pageResponse(site, address, { title, main, bar: { search: false }, isForReaders: true });
}

function searchForm({ text }: RepositoriesQuery, { root }: PublicAddress): Html {
  return html`<form class="card search" action="${root}${IMAGE_PAGES}" role="search">
    ${searchField({
      label: "Search repositories",
      value: text,
      lengthMax: QUERY_LENGTH_MAX,
      help: html`Part of the name, such as <code>team/</code>, <code>app</code>`,
    })}
  </form>`;
}

function results(
  site: Site,
  address: PublicAddress,
  { query, answer }: { readonly query: RepositoriesQuery; readonly answer: RepositoryList },
): Html {
  const { repositories, hasMore, isCut } = answer;
  if (repositories.length === 0) return isCut ? CUT : nothingFound(query, address);
  return html`<section aria-labelledby="results">
    <h2 id="results" class="summary">
      ${summaryOf(repositories.length, hasMore || isCut || query.after !== "")}
    </h2>
    <ul class="hits">
      ${repositories.map((hit) => hitItem(hit, site, address))}
    </ul>
    ${isCut && CUT} ${pager(query, address, hasMore ? repositories.at(-1)?.name : undefined)}
  </section>`;
}

const CUT = html`<p class="empty">
  This list may be incomplete, because the registry has too many repositories to check your access
  to each. Search for a part of the name, such as <code>team/</code>.
</p>`;

function summaryOf(count: number, isPart: boolean): string {
  const counted = `${formatCount(count)} ${count === 1 ? "repository" : "repositories"}`;
  return `${counted}${isPart ? " on this page" : ""}, by name`;
}

function nothingFound({ text, after }: RepositoriesQuery, address: PublicAddress): Html {
  const all = html`<a href="${repositoriesPath(address)}">Show all repositories</a>`;
  return text === "" && after === ""
    ? html`<p class="empty">
        No images yet.
        <a href="${address.root}/">The front page</a> shows how to push one.
      </p>`
    : html`<p class="empty">No matching repository. ${all}.</p>`;
}

function hitItem(hit: RepositoryHit, { now }: Site, address: PublicAddress): Html {
  const { name, pulls, tagCount, pushedAt, createdAt } = hit;
  return html`<li class="hit">
    ${PARCEL}
    <div>
      <h3><a href="${repositoryPath(address, name)}">${wrapName(name)}</a></h3>
      <p class="meta">
        <span>${countOf(tagCount, "tag")}</span>
        <span>${formatShortCount(pulls)} ${pulls === 1 ? "pull" : "pulls"}</span>
        ${
          pushedAt
            ? html`<span>pushed ${timeAgo(pushedAt, now)}</span>`
            : html`<span>created ${timeAgo(createdAt, now)}</span>`
        }
      </p>
    </div>
  </li>`;
}

function pager(
  { text, after }: RepositoriesQuery,
  address: PublicAddress,
  last: string | undefined,
): Html | false {
  if (after === "" && last === undefined) return false;
  const to = (name: string | undefined) =>
    repositoriesPath(
      address,
      new URLSearchParams({
        ...(text !== "" && { q: text }),
        ...(name !== undefined && { after: name }),
      }),
    );
  return html`<nav class="pager" aria-label="Pages of repositories">
    ${after !== "" && html`<a rel="first" href="${to(undefined)}">First page</a>`}
    ${last !== undefined && html`<a rel="next" href="${to(last)}">Next page</a>`}
  </nav>`;
}
