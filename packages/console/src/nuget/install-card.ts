import { html } from "hono/html";
import { addFeedLine, nugetIndexOf } from "../kit/clients/client-lines.ts";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { choices, copyable } from "../kit/clients/snippets.ts";
import { installSnippets } from "../kit/clients/install-snippets.ts";
import type { PackagePage } from "./model.ts";
import type { Site } from "../kit/page/model.ts";

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
