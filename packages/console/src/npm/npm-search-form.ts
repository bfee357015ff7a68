import { html } from "hono/html";
import type { Html } from "../document.ts";
import { choice } from "../packages/search-form.ts";
import { TEXT_LENGTH_MAX } from "../packages/search-query.ts";
import type { PublicAddress } from "../public-address.ts";
import type { NpmQuery } from "./model.ts";
import { NPM_PAGES } from "./npm-address.ts";

const SHOWN: readonly (readonly [value: string, text: string])[] = [
  ["true", "Included"],
  ["false", "Left out"],
];

/** What `npm search` can be asked; a plain form, so it works without script. */
export function npmSearchForm(query: NpmQuery, { root }: PublicAddress): Html {
  const { text, deprecated, unstable } = query;
  return html`<form class="card search" action="${root}${NPM_PAGES}" role="search">
    <div class="asked">
      <label for="q">Search npm packages</label>
      <div class="joined">
        <input
          id="q"
          type="search"
          name="q"
          value="${text}"
          maxlength="${TEXT_LENGTH_MAX}"
          autocomplete="off"
          aria-describedby="q-help"
        />
        <button type="submit">Search</button>
      </div>
      <p class="note" id="q-help">
        Words of the name, description or keywords, or one of <code>keywords:</code>
        <code>scope:</code> <code>maintainer:</code>
      </p>
    </div>
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
