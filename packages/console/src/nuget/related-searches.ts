import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { searchPath } from "../kit/links/nuget-address.ts";

const OWNERS_SHOWN_MAX = 5;

/** Renders tags as links to their searches. */
export function tagList(tags: readonly string[], address: PublicAddress): Html | false {
  if (tags.length === 0) return false;
  return html`<ul class="tags" aria-label="Tags">
    ${tags.map((tag) => html`<li>${searchLink("tags", tag, address)}</li>`)}
  </ul>`;
}

/** Renders owners as links to their packages. */
export function ownerLinks(owners: readonly string[], address: PublicAddress): Html {
  const shown = owners.slice(0, OWNERS_SHOWN_MAX);
  const hidden = owners.length - shown.length;
  const links = shown.map((owner) => searchLink("owner", owner, address));
  return html`${links.map((link, index) => [index > 0 && ", ", link])}
  ${hidden > 0 && html`and ${hidden} more`}`;
}

function searchLink(field: "tags" | "owner", text: string, address: PublicAddress): Html {
  const search = new URLSearchParams({ q: `${field}:"${text.replaceAll('"', "")}"` });
  return html`<a href="${searchPath(address, search)}">${text}</a>`;
}
