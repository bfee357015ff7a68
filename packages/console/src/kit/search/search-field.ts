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
