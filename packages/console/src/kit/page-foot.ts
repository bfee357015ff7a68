import { html } from "hono/html";
import type { Html } from "./document.ts";
import type { PublicAddress } from "./public-address.ts";

/** Renders the footer. */
export function pageFoot(
  { name, version }: { readonly name: string; readonly version: string },
  { root }: PublicAddress,
): Html {
  return html`<footer>
    <div class="wrap">
      <span>${name} ${version}</span>
      <a href="${root}/#connect">Connect a client</a>
    </div>
  </footer>`;
}
