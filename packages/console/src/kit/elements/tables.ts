import { html, raw } from "hono/html";
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

/**
 * Renders a table. On narrow screens, each row becomes a list of its cells with the names of their
 * columns; otherwise the table scrolls when it is wider than the page. Cells have no tables.
 */
export function table(caption: string, heads: readonly Head[], rows: readonly Html[]): Html {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table class="fold">
      <thead>
        <tr>
          ${heads.map(
            ({ text, isNumber = false }) =>
              html`<th scope="col" class="${isNumber ? "number" : ""}">${text}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => labelled(row, heads))}
      </tbody>
    </table>
  </div>`;
}

/** Text of a cell cannot look like a tag, because it is escaped. */
async function labelled(row: Html, heads: readonly Head[]) {
  const labels: string[] = [];
  for (const { text } of heads) labels.push(await html`<td data-label="${text}"`);
  let column = 0;
  const cells = (await row).replaceAll(/<t[dh](?=[\s>])/g, (tag) => {
    const label = labels[column];
    column += 1;
    return tag === "<td" ? (label ?? tag) : tag;
  });
  return raw(cells);
}

export type Head = { readonly text: string; readonly isNumber?: boolean };

/** Renders a term with its value in a description list. */
export function pair(name: string, value: string | Html | false): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
