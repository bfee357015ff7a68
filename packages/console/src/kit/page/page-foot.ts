import { html } from "hono/html";
import type { Html } from "./document.ts";
import { ADMINISTRATION_PAGES } from "./page-paths.ts";
import type { PublicAddress } from "./public-address.ts";

type FootSite = {
  readonly name: string;
  readonly version: string;
  readonly hasAdministration?: boolean;
};

/** Renders the footer. */
export function pageFoot(
  { name, version, hasAdministration = false }: FootSite,
  { root }: PublicAddress,
): Html {
  return html`<footer>
    <div class="wrap">
      <span>${name} ${version}</span>
      <a href="${root}/#connect">Connect a client</a>
      ${hasAdministration && html`<a href="${root}${ADMINISTRATION_PAGES}">Administration</a>`}
    </div>
  </footer>`;
}
