import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import type { Snippet, SnippetPart } from "./install-snippets.ts";
import { shellLines } from "./shell-lines.ts";

/** Number of tabs that the stylesheet supports. */
const PLACES = 5;

/**
 * Renders instructions as tabs. The stylesheet shows the selected panel without a script. `name` is
 * short and unique on the page.
 */
export function choices(name: string, legend: string, snippets: readonly Snippet[]): Html {
  const shown = snippets.slice(0, PLACES);
  return html`<fieldset class="choices">
    <legend class="unseen">${legend}</legend>
    ${shown.map(
      ({ key, title }, place) =>
        html`<input
            type="radio"
            name="${name}"
            id="${name}-${key}"
            class="place-${place}"
            ${place === 0 ? "checked" : ""}
          /><label for="${name}-${key}">${title}</label> `,
    )}
    ${shown.map(
      ({ key, parts }, place) =>
        html`<div class="panel panel-${place}">
          ${parts.map((part, index) => copyable(`${key}-${index}`, part))}
        </div>`,
    )}
  </fieldset>`;
}

/** Renders lines with a copy button. The script shows the button. */
export function copyable(key: string, { label, lines, kind = "shell" }: SnippetPart): Html {
  const id = `lines-${key}`;
  return html`<div class="snippet">
    <p class="label">${label}</p>
    <button type="button" class="copy" data-lines="${id}" hidden>
      <span aria-live="polite">Copy</span><span class="unseen"> the lines: ${label}</span>
    </button>
    ${kind === "shell" ? shellLines(lines, id) : fileLines(lines, id)}
  </div>`;
}

function fileLines(lines: readonly string[], id: string): Html {
  return html`<pre id="${id}"><code>${lines.join("\n")}</code></pre>`;
}
