import { html } from "hono/html";
import type { Html } from "../page/document.ts";

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
