import { html } from "hono/html";
import type { Html } from "./document.ts";
import type { Site } from "./model.ts";
import type { PublicAddress } from "./public-address.ts";

/** Path of the page that signs in. */
export const SIGN_IN = "/sign-in";

export const NEEDS_HTTPS =
  "Browsers keep the cookie of a sign-in only on https addresses and on localhost. Ask the " +
  "operator of this registry for its https address.";

/** Whether browsers refuse the cookie of a session at this address. */
export function needsHttps({ secure, local }: PublicAddress): boolean {
  return !secure && !local;
}

/** Returns the link to the page that signs in and comes back to this page. */
export function signInPath({ visitor }: Pick<Site, "visitor">, { root }: PublicAddress): string {
  const path = visitor?.path ?? "/";
  const query = path === "/" ? "" : `?${new URLSearchParams({ returnUrl: path }).toString()}`;
  return `${root}${SIGN_IN}${query}`;
}

/** Renders who views the page, or a link to sign in. */
export function visitorLink(site: Pick<Site, "visitor">, address: PublicAddress): Html | false {
  if (!site.visitor) return false;
  const { name } = site.visitor;
  if (name === undefined) {
    return html`<a class="visitor" href="${signInPath(site, address)}">Sign in</a>`;
  }
  return html`<a class="visitor" href="${address.root}/account">
    <span class="unseen">Signed in as</span> ${name}
  </a>`;
}
