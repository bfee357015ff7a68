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
export function signInPath({ visitor }: Site, { root }: PublicAddress): string {
  const path = visitor?.path ?? "/";
  const query = path === "/" ? "" : `?${new URLSearchParams({ returnUrl: path }).toString()}`;
  return `${root}${SIGN_IN}${query}`;
}
