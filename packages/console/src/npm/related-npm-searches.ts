import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { clipped } from "./clipped.ts";
import { npmSearchPath } from "./npm-address.ts";

const KEYWORDS_SHOWN_MAX = 50;
const KEYWORD_LENGTH_MAX = 100;
const MAINTAINERS_SHOWN_MAX = 10;
/** What a qualifier can hold; others are told without a link. */
const ONE_WORD = /^[^\s,+]+$/;

/** Each keyword leads to everything that has it. */
export function keywordList(keywords: readonly string[], address: PublicAddress): Html | false {
  const shown = keywords.filter((one) => one.trim() !== "").slice(0, KEYWORDS_SHOWN_MAX);
  if (shown.length === 0) return false;
  return html`<ul class="tags" aria-label="Keywords">
    ${shown.map((keyword) => html`<li>${searchLink("keywords", keyword, address)}</li>`)}
  </ul>`;
}

/** Each maintainer leads to everything that is theirs. */
export function maintainerLinks(maintainers: readonly string[], address: PublicAddress): Html {
  const shown = maintainers.slice(0, MAINTAINERS_SHOWN_MAX);
  const hidden = maintainers.length - shown.length;
  const links = shown.map((name) => searchLink("maintainer", name, address));
  return html`${links.map((link, at) => [at > 0 && ", ", link])}
  ${hidden > 0 && html`and ${hidden} more`}`;
}

function searchLink(
  qualifier: "keywords" | "maintainer",
  text: string,
  address: PublicAddress,
): Html {
  const isLinked = ONE_WORD.test(text) && text.length <= KEYWORD_LENGTH_MAX;
  // As one may search for: the words of a keyword.
  const search = new URLSearchParams({ q: isLinked ? `${qualifier}:${text}` : text.slice(0, 100) });
  return html`<a href="${npmSearchPath(address, search)}">${clipped(text, KEYWORD_LENGTH_MAX)}</a>`;
}
