import { html } from "hono/html";
import { countOf, formatCount, formatSize, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { pair, table, timeAgo } from "../kit/elements/tables.ts";
import { badge } from "../kit/elements/badges.ts";
import type { Site } from "../kit/page/model.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import { PARCEL } from "../kit/page/icons.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { manageLink } from "../kit/links/name-address.ts";
import { kindName } from "./artifact-names.ts";
import { imagePath, repositoryPath } from "../kit/links/image-address.ts";
import { QUERY_LENGTH_MAX, tagsParametersOf } from "./image-query.ts";
import type { ManifestRow, RepositoryPage, TagRow, TagsQuery } from "./model.ts";
import { shortDigest } from "./parts.ts";

const OWNERS_SHOWN_MAX = 5;

export type RepositoryView = { readonly query: TagsQuery; readonly page: RepositoryPage };

/** Renders `GET /images/{name}`. */
export function repositoryPageResponse(
  site: Site,
  address: PublicAddress,
  view: RepositoryView,
): Promise<Response> {
  const { page } = view;
  const main = html`<main id="content">
    <div class="top package">
      <div class="wrap">
        ${PARCEL}
        <div>
          <h1>${wrapName(page.name)}</h1>
          <p class="soft">Repository of container images and artifacts</p>
          ${manageLink(page.isManaged, address, { protocol: "oci", name: page.name })}
        </div>
      </div>
    </div>
    <div class="wrap columns">
      <div class="stack">${tagsCard(view, site, address)}</div>
      <div class="stack">${factsCard(page, site)}</div>
    </div>
  </main>`;
  const canonical = new URL(repositoryPath(address, page.name), address.base).href;
  return pageResponse(site, address, {
    title: `${page.name} - Images`,
    main,
    bar: { of: "oci" },
    canonical,
  });
}

function factsCard(page: RepositoryPage, { now }: Site): Html {
  const { tagCount, pulls, pushedAt, createdAt, hostNames, name, owners = [] } = page;
  const shownOwners = owners.slice(0, OWNERS_SHOWN_MAX).join(", ");
  const hidden = owners.length - OWNERS_SHOWN_MAX;
  const short = name.slice(name.indexOf("/") + 1);
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Facts</h2>
    <dl class="pairs numbers">
      ${pair("Tags", formatCount(tagCount))} ${pair("Pulls", formatCount(pulls))}
      ${pushedAt !== undefined && pair("Last tagged", timeAgo(pushedAt, now))}
      ${pair("First push", timeAgo(createdAt, now))}
      ${
        owners.length > 0 &&
        pair("Owners", hidden > 0 ? `${shownOwners} and ${hidden} more` : shownOwners)
      }
    </dl>
    ${
      hostNames.length > 0 &&
      html`<p class="note">
        Also available as:
        ${hostNames.map((host, index) => [index > 0 && ", ", html`<code>${host}/${short}</code>`])}
      </p>`
    }
  </section>`;
}

function tagsCard({ query, page }: RepositoryView, { now }: Site, address: PublicAddress): Html {
  const { lines } = page.tags;
  const rows = lines.map((line) => tagRow(line, { now, repository: page.name, address }));
  return html`<section class="card" aria-labelledby="tags">
    <h2 id="tags">Tags</h2>
    ${filterForm(query, page, address)}
    ${
      lines.length > 0
        ? table("Tags, newest first", TAG_HEADS, rows)
        : html`<p class="empty">${nothingText(query)}</p>`
    }
    ${pager(query, page, address)}
  </section>`;
}

const TAG_HEADS = [
  { text: "Tag" },
  { text: "Manifest" },
  { text: "Pushed" },
  { text: "Pulled" },
  { text: "Size", isNumber: true },
];

function nothingText({ text, withAttached }: TagsQuery): string {
  if (text !== "") return "No matching tag.";
  return withAttached ? "No tags." : "No tags other than those of signatures and attestations.";
}

function filterForm(query: TagsQuery, { name }: RepositoryPage, address: PublicAddress): Html {
  return html`<form class="tag-filter" action="${repositoryPath(address, name)}">
    <div>
      <label for="tag">Part of a tag</label>
      <input
        id="tag"
        type="search"
        name="tag"
        value="${query.text}"
        maxlength="${QUERY_LENGTH_MAX}"
      />
    </div>
    <label class="switch"
      ><input type="checkbox" name="attached" value="true" ${query.withAttached ? "checked" : ""} />
      Include tags of signatures and attestations</label
    >
    <button type="submit">Show</button>
  </form>`;
}

function tagRow(
  line: TagRow,
  place: { readonly now: Date; readonly repository: string; readonly address: PublicAddress },
): Html {
  const { tag, digest, pushedAt, pulledAt, isAttached } = line;
  const { now, repository, address } = place;
  return html`<tr>
    <th scope="row">
      <a href="${imagePath(address, repository, tag)}">${wrapName(tag)}</a>
      <span class="badges">${isAttached && badge("Attached", "calm")}</span>
    </th>
    <td>
      <a href="${imagePath(address, repository, digest)}"><code>${shortDigest(digest)}</code></a>
    </td>
    <td>${timeAgo(pushedAt, now)}</td>
    <td>${pulledAt ? timeAgo(pulledAt, now) : html`<span class="soft">never</span>`}</td>
    <td class="number">${sizeOf(line)}</td>
  </tr>`;
}

/** Returns the size of an image, or the number of manifests in an index. */
export function sizeOf(row: ManifestRow): string {
  if (!row.content) return "–";
  const { size, children } = row.content;
  if (kindName(row) === "Multi-platform" || children > 0) return countOf(children, "manifest");
  return formatSize(size);
}

function pager(query: TagsQuery, { name, tags }: RepositoryPage, address: PublicAddress) {
  const { number, last } = tags;
  if (last <= 1) return false;
  const to = (page: number) => repositoryPath(address, name, tagsParametersOf({ ...query, page }));
  return html`<nav class="pager" aria-label="Pages of tags">
    ${number > 1 && html`<a rel="prev" href="${to(number - 1)}">Newer tags</a>`}
    <span class="soft">Page ${formatCount(number)} of ${formatCount(last)}</span>
    ${number < last && html`<a rel="next" href="${to(number + 1)}">Older tags</a>`}
  </nav>`;
}
