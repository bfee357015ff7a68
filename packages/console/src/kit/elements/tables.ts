import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import { formatCount } from "./format.ts";
import { formatRelativeTime } from "./relative-time.ts";

export function timeAgo(time: Date, now: Date): Html {
  const exact = time.toISOString();
  return html`<time datetime="${exact}" title="${exact}">${formatRelativeTime(time, now)}</time>`;
}

export function andMore(hidden: number): Html | false {
  return hidden > 0 && html`<p class="soft">And ${formatCount(hidden)} more.</p>`;
}

/** Renders a table that scrolls when it is wider than the page. */
export function table(caption: string, heads: readonly Head[], rows: readonly Html[]): Html {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map(
            ({ text, isNumber = false }) =>
              html`<th scope="col" class="${isNumber ? "number" : ""}">${text}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

export type Head = { readonly text: string; readonly isNumber?: boolean };

/** Renders a term with its value in a description list. */
export function pair(name: string, value: string | Html | false): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
