import { html } from "hono/html";
import { addFeedLine, nugetIndexOf } from "../front/client-lines.ts";
import type { Html } from "../kit/document.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { choices, copyable } from "../kit/snippets.ts";
import { installSnippets } from "../kit/install-snippets.ts";
import type { PackagePage } from "./model.ts";
import type { Site } from "../kit/model.ts";

/** One way to use the package at a time, and how the feed is made known first. */
export function installCard(page: PackagePage, site: Site, address: PublicAddress): Html {
  const index = nugetIndexOf(address.base);
  const snippets = installSnippets(page, index);
  return html`<section class="card" aria-labelledby="install">
    <h2 id="install">Use it</h2>
    ${snippets.length > 0 && choices("client", "Kind of client", snippets)}
    <details>
      <summary>Add this feed first</summary>
      <p class="note">Once on each machine. The feed's address is <code>${index}</code>.</p>
      ${copyable("add-feed", { label: "In a shell", lines: [addFeedLine(address, site)] })}
    </details>
  </section>`;
}
