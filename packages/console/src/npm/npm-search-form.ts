import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { selectField } from "../kit/search/select-field.ts";
import { TEXT_LENGTH_MAX } from "../kit/search/search-limits.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { searchField } from "../kit/search/search-field.ts";
import type { NpmQuery } from "./model.ts";
import { NPM_PAGES } from "../kit/page/page-paths.ts";

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
