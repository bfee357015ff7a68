import { html } from "hono/html";
import type { Html } from "../kit/document.ts";

/** A name and what it is, in a list of such. */
export function pair(name: string, value: string | Html | false): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
