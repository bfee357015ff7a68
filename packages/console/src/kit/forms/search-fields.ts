import { html } from "hono/html";
import type { Html } from "../page/document.ts";

/** Renders the text field of a search form with its button; `help` explains the syntax. */
export function searchField(field: {
  readonly label: string;
  readonly value: string;
  readonly lengthMax: number;
  readonly help: Html;
}): Html {
  return html`<div class="asked">
    <label for="q">${field.label}</label>
    <div class="joined">
      <input
        id="q"
        type="search"
        name="q"
        value="${field.value}"
        maxlength="${field.lengthMax}"
        autocomplete="off"
        aria-describedby="q-help"
      />
      <button type="submit">Search</button>
    </div>
    <p class="note" id="q-help">${field.help}</p>
  </div>`;
}

/** Equals the largest `skip` that the feed's search accepts. */
export const SKIP_MAX = 3000;

export const TEXT_LENGTH_MAX = 256;

export type Option = readonly [value: string, text: string];

type SelectField = {
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
  readonly chosen: string;
};

/** Renders a selection of a few options. */
export function selectField({ name, label, options, chosen }: SelectField): Html {
  const isChosen = (value: string) => value.toLowerCase() === chosen.toLowerCase();
  return html`<div>
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${isChosen(value) ? "selected" : ""}>${text}</option>`,
      )}
    </select>
  </div>`;
}

/** Renders links to the previous and next page of results; false when there is only one page. */
export function resultsPager(
  { skip, take }: { readonly skip: number; readonly take: number },
  results: { readonly hasMore: boolean; readonly to: (skip: number) => string },
): Html | false {
  const { to } = results;
  const hasNext = results.hasMore && skip + take <= SKIP_MAX;
  if (skip === 0 && !hasNext) return false;
  return html`<nav class="pager" aria-label="Pages of results">
    ${skip > 0 && html`<a rel="prev" href="${to(Math.max(0, skip - take))}">Previous page</a>`}
    ${hasNext && html`<a rel="next" href="${to(skip + take)}">Next page</a>`}
  </nav>`;
}
