import type { Protocol } from "@sealhouse/request-types";
import { html } from "hono/html";
import type { Html } from "./document.ts";
import type { PublicAddress } from "./public-address.ts";
import { LOGO } from "./icons.ts";
import { ADMINISTRATION_PAGES, IMAGE_PAGES, NPM_PAGES } from "./page-paths.ts";
import type { Site } from "./model.ts";
import { THEME_PATH } from "./theme.ts";
import { visitorLink } from "./visitor.ts";

const PAGES = [
  ["nuget", "/packages", "NuGet packages", "NuGet packages"],
  ["npm", NPM_PAGES, "npm packages", "npm packages"],
  ["oci", IMAGE_PAGES, "Images", "images"],
] as const;

export type BarOptions = {
  /** Whether to show the search box; default true. */
  readonly search?: boolean;
  /** The protocol that the box searches; default NuGet. */
  readonly of?: Protocol;
};

/** Renders the top of a page: registry name, search box and navigation. */
export function pageBar(site: Site, address: PublicAddress, options: BarOptions = {}): Html {
  const { name, protocols, hasAdministration = false } = site;
  const { root } = address;
  const { search: isSearched = true, of = "nuget" } = options;
  const [, action, , what] = PAGES.find(([protocol]) => protocol === of) ?? PAGES[0];
  const pages = PAGES.filter(([protocol]) => protocols.includes(protocol));
  const search = html`<form class="quick" action="${root}${action}" role="search">
    <label class="unseen" for="quick">Search ${what}</label>
    <input id="quick" type="search" name="q" placeholder="Search ${what}" maxlength="256" />
    <kbd aria-hidden="true">/</kbd>
    <button type="submit">Search</button>
  </form>`;
  return html`<a class="skip" href="#content">Skip to the content</a>
    <header class="bar">
      <div class="wrap">
        <a class="brand" href="${root}/">${LOGO} <span>${name}</span></a>
        ${isSearched && search}
        <nav class="end" aria-label="Pages">
          ${pages.map(([, path, text]) => html`<a href="${root}${path}">${text}</a>`)}
          ${hasAdministration && html`<a href="${root}${ADMINISTRATION_PAGES}">Administration</a>`}
          ${visitorLink(site, address)}
        </nav>
      </div>
    </header>`;
}

/** Renders the footer. */
export function pageFoot(site: Site, { root }: PublicAddress): Html {
  return html`<footer>
    <div class="wrap">
      <span>${site.name} ${site.version}</span>
      <a href="${root}/#connect">Connect a client</a>
      <a href="${root}/trust">Signing and trust</a>
      ${themeForm(site, root)}
    </div>
  </footer>`;
}

const THEMES = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

function themeForm({ theme, visitor }: Site, root: string): Html {
  return html`<form class="theme" method="post" action="${root}${THEME_PATH}">
    <span id="theme">Theme</span>
    <input type="hidden" name="returnUrl" value="${visitor?.path ?? "/"}" />
    ${THEMES.map(
      ([value, text]) =>
        html`<button
          class="small"
          name="theme"
          value="${value}"
          aria-pressed="${String(value === (theme ?? "system"))}"
          aria-describedby="theme"
        >
          ${text}
        </button>`,
    )}
  </form>`;
}
