import { html, raw } from "hono/html";
import type { Html } from "../page/document.ts";
import type { ReadmeText, RenderedReadme } from "../../readme/readme-text.ts";

const NOTES = {
  "too-complex": "Source text: rendering this readme takes too long.",
  busy: "Source text: the registry is busy. Try again in a moment.",
} as const;

/** Renders the readme; without one, the description. */
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
  // The renderer returns sanitized HTML; its tests prove that.
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
