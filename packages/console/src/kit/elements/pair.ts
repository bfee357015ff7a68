import { html } from "hono/html";
import type { Html } from "../page/document.ts";

/** Renders a term with its value in a description list. */
export function pair(name: string, value: string | Html | false): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
