import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { clipped } from "../kit/elements/format.ts";
import { npmSearchPath } from "../kit/links/npm-address.ts";

const KEYWORDS_SHOWN_MAX = 50;
const KEYWORD_LENGTH_MAX = 100;
const MAINTAINERS_SHOWN_MAX = 10;
/** Values that a search qualifier accepts; the page shows other values without a link. */
const ONE_WORD = /^[^\s,+]+$/;

/** Renders keywords as links to their searches. */
export function keywordList(keywords: readonly string[], address: PublicAddress): Html | false {
  const shown = keywords.filter((keyword) => keyword.trim() !== "").slice(0, KEYWORDS_SHOWN_MAX);
  if (shown.length === 0) return false;
  return html`<ul class="tags" aria-label="Keywords">
    ${shown.map((keyword) => html`<li>${searchLink("keywords", keyword, address)}</li>`)}
  </ul>`;
}

/** Renders maintainers as links to their packages. */
export function maintainerLinks(maintainers: readonly string[], address: PublicAddress): Html {
  const shown = maintainers.slice(0, MAINTAINERS_SHOWN_MAX);
  const hidden = maintainers.length - shown.length;
  const links = shown.map((name) => searchLink("maintainer", name, address));
  return html`${links.map((link, index) => [index > 0 && ", ", link])}
  ${hidden > 0 && html`and ${hidden} more`}`;
}

function searchLink(
  qualifier: "keywords" | "maintainer",
  text: string,
  address: PublicAddress,
): Html {
  const isLinked = ONE_WORD.test(text) && text.length <= KEYWORD_LENGTH_MAX;
  // The text may exceed the search syntax, so the query is its first 100 characters.
  const search = new URLSearchParams({ q: isLinked ? `${qualifier}:${text}` : text.slice(0, 100) });
  return html`<a href="${npmSearchPath(address, search)}">${clipped(text, KEYWORD_LENGTH_MAX)}</a>`;
}
