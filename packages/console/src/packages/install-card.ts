import { html } from "hono/html";
import { addFeedLine, nugetIndexOf } from "../client-lines.ts";
import type { Html } from "../document.ts";
import type { PublicAddress } from "../public-address.ts";
import { shellLines } from "../shell-lines.ts";
import type { Snippet, SnippetPart } from "./install-snippets.ts";
import { installSnippets } from "./install-snippets.ts";
import type { PackagePage, Site } from "./model.ts";

/** The stylesheet shows the panel that belongs to the chosen place: no script is needed. */
export const PLACES = 5;

/** One way to use the package at a time, and how the feed is made known first. */
export function installCard(page: PackagePage, site: Site, address: PublicAddress): Html {
  const index = nugetIndexOf(address.base);
  const snippets = installSnippets(page, index).slice(0, PLACES);
  return html`<section class="card" aria-labelledby="install">
    <h2 id="install">Use it</h2>
    ${snippets.length > 0 && choices(snippets)}
    <details>
      <summary>Add this feed first</summary>
      <p class="note">Once on each machine. The feed's address is <code>${index}</code>.</p>
      ${copyable("add-feed", { label: "In a shell", lines: [addFeedLine(address, site)] })}
    </details>
  </section>`;
}

function choices(snippets: readonly Snippet[]): Html {
  return html`<fieldset class="choices">
    <legend class="unseen">Kind of client</legend>
    ${snippets.map(
      ({ key, title }, place) =>
        html`<input
            type="radio"
            name="client"
            id="client-${key}"
            class="place-${place}"
            ${place === 0 ? "checked" : ""}
          /><label for="client-${key}">${title}</label> `,
    )}
    ${snippets.map(
      ({ key, parts }, place) =>
        html`<div class="panel panel-${place}">
          ${parts.map((part, at) => copyable(`${key}-${at}`, part))}
        </div>`,
    )}
  </fieldset>`;
}

/** The button shows itself when the script that serves it runs. */
function copyable(key: string, { label, lines, kind = "shell" }: SnippetPart): Html {
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
