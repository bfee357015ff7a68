import { html } from "hono/html";
import type { Html } from "../document.ts";
import type { PublicAddress } from "../public-address.ts";
import { SEAL } from "../seal.ts";
import type { Site } from "./model.ts";

/** The head of every page about packages: where one is, and a way to search. */
export function pageBar(
  { name }: Site,
  { root }: PublicAddress,
  options: { readonly search: boolean } = { search: true },
): Html {
  const search = html`<form class="quick" action="${root}/packages" role="search">
    <label class="unseen" for="quick">Search packages</label>
    <input id="quick" type="search" name="q" placeholder="Search packages" maxlength="256" />
    <button type="submit">Search</button>
  </form>`;
  return html`<a class="skip" href="#content">Skip to the content</a>
    <header class="bar">
      <div class="wrap">
        <a class="brand" href="${root}/">${SEAL} <span>${name}</span></a>
        <nav aria-label="Pages"><a href="${root}/packages">Packages</a></nav>
        ${options.search && search}
      </div>
    </header>`;
}
