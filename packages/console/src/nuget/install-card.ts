import { html } from "hono/html";
import { addFeedLine, nugetIndexOf } from "../front/client-lines.ts";
import type { Html } from "../kit/document.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { choices, copyable } from "../kit/snippets.ts";
import { installSnippets } from "../kit/install-snippets.ts";
import type { PackagePage } from "./model.ts";
import type { Site } from "../kit/model.ts";

/** Renders the install instructions, and those for adding the feed. */
export function installCard(page: PackagePage, site: Site, address: PublicAddress): Html {
  const index = nugetIndexOf(address.base);
  const snippets = installSnippets(page, index);
  return html`<section class="card" aria-labelledby="install">
    <h2 id="install">Install</h2>
    ${snippets.length > 0 && choices("client", "Kind of client", snippets)}
    <details>
      <summary>Add this feed first</summary>
      <p class="note">Once per machine. Feed URL: <code>${index}</code></p>
      ${copyable("add-feed", { label: "In a shell", lines: [addFeedLine(address, site)] })}
    </details>
  </section>`;
}
