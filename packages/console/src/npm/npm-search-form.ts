import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import { choice } from "../nuget/search-form.ts";
import { TEXT_LENGTH_MAX } from "../kit/search-limits.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { searchField } from "../kit/search-field.ts";
import type { NpmQuery } from "./model.ts";
import { NPM_PAGES } from "../kit/page-paths.ts";

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
      ${choice({
        name: "deprecated",
        label: "Deprecated packages",
        options: SHOWN,
        chosen: String(deprecated),
      })}
      ${choice({
        name: "unstable",
        label: "Prereleases and 0.x",
        options: SHOWN,
        chosen: String(unstable),
      })}
    </div>
  </form>`;
}
