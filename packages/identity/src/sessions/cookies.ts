/** Names of the cookies of an instance. */
export type CookieNames = {
  /** The session. */
  readonly session: string;
  /** Key of the form on the page that signs in. */
  readonly form: string;
  /** Beginning of the cookies of waiting sign-ins. */
  readonly waiting: string;
};

/** Digits of a state's hash in the name of its cookie. */
const STATE_DIGITS = 16;

/**
 * Returns the names of the cookies. Browsers send cookies to all ports of a host, so the names of
 * registries in Development contain the port.
 */
export function cookieNames(port?: number): CookieNames {
  const session = port === undefined ? "__Host-sealhouse" : `__Host-sealhouse-${port}`;
  return { session, form: `${session}-form`, waiting: `${session}-state-` };
}

/** Returns the name of the cookie of a sign-in that waits for the provider. */
export function waitingCookie({ waiting }: CookieNames, stateHash: string): string {
  return waiting + stateHash.slice(0, STATE_DIGITS);
}

/** Parses the header `Cookie`. The first of several cookies with the same name counts. */
export function readCookies(header: string | null | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? "").split(";")) {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals).trim();
    if (equals > 0 && !cookies.has(name)) cookies.set(name, pair.slice(equals + 1).trim());
  }
  return cookies;
}

/** Formats `Set-Cookie`: for this host only, never for scripts. Ends with the browser. */
export function formatCookie(name: string, value: string): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}

/** Formats `Set-Cookie` that deletes a cookie. Browsers ignore it without `Secure`. */
export function formatDeletion(name: string): string {
  return `${formatCookie(name, "")}; Max-Age=0`;
}
