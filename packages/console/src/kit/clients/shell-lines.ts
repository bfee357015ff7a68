import { html } from "hono/html";
import type { Html } from "../page/document.ts";

/**
 * Renders shell lines. Long lines wrap with an indent, never inside an option; copies have no
 * breaks.
 */
export function shellLines(lines: readonly string[], id?: string): Html {
  const spans = lines.map(
    (line) => html`<span class="line">${line.split(/(?<= )/).map(word)}</span>`,
  );
  return id === undefined
    ? html`<pre><code>${spans}</code></pre>`
    : html`<pre id="${id}"><code>${spans}</code></pre>`;
}

function word(text: string, index: number, all: readonly string[]): readonly unknown[] {
  const end = index === all.length - 1 ? "\n" : "";
  const option = /^-\S+/.exec(text)?.[0];
  if (option === undefined) return [text, end];
  return [html`<span class="option">${option}</span>`, text.slice(option.length), end];
}

/** Matches text without special characters of any shell. Shell lines contain no other names. */
export const SHELL_SAFE = /^[\w@][\w@./:+-]*$/;
