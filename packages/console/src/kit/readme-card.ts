import { html, raw } from "hono/html";
import type { Html } from "./document.ts";
import type { ReadmeText } from "../readme/readme-text.ts";
import type { RenderedReadme } from "../readme/rendered-readme.ts";

const NOTES = {
  "too-complex": "It is shown as it is, because rendering it takes too long.",
  busy: "It is shown as it is, because this registry is busy. Try again in a moment.",
} as const;

/** The readme, or the description when there is none: never nothing. */
export function readmeCard(
  readme: ReadmeText,
  rendered: RenderedReadme | undefined,
  description: string,
): Html {
  switch (readme.status) {
    case "none":
      return card("Description", html`<p class="said">${description}</p>`);
    case "unreadable":
      return card("Description", [
        html`<p class="said">${description}</p>`,
        html`<p class="note">The package has a readme. ${readme.reason}</p>`,
      ]);
    case "text":
      return card("Readme", content(readme.text, rendered));
  }
}

function content(text: string, rendered: RenderedReadme | undefined): Html {
  // What the renderer gives is safe: that is its promise, held by its tests.
  if (rendered?.status === "html") return html`<div class="readme">${raw(rendered.html)}</div>`;
  const note = NOTES[rendered?.reason ?? "busy"];
  return html`<p class="note">${note}</p>
    <pre><code>${text}</code></pre>`;
}

function card(title: string, body: Html | readonly Html[]): Html {
  return html`<section class="card" aria-labelledby="readme">
    <h2 id="readme">${title}</h2>
    ${body}
  </section>`;
}
