import { html } from "hono/html";
import type { Html } from "./document.ts";

/** Long lines wrap with an indent, though not inside an option, and are still copied as one. */
export function shellLines(lines: readonly string[], id?: string): Html {
  const spans = lines.map(
    (line) => html`<span class="line">${line.split(/(?<= )/).map(word)}</span>`,
  );
  return id === undefined
    ? html`<pre><code>${spans}</code></pre>`
    : html`<pre id="${id}"><code>${spans}</code></pre>`;
}

function word(text: string, at: number, all: readonly string[]): readonly unknown[] {
  const end = at === all.length - 1 ? "\n" : "";
  const option = /^-\S+/.exec(text)?.[0];
  if (option === undefined) return [text, end];
  return [html`<span class="option">${option}</span>`, text.slice(option.length), end];
}

/** Characters that mean nothing to any shell. Other names are never put into a line. */
export const SHELL_SAFE = /^[\w@][\w@./:+-]*$/;
