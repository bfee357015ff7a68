import type {
  AccessRules,
  BrowserSession,
  BrowserSessions,
  Confirmations,
  CookieNames,
  FirstAdministrator,
  PageSessions,
  PasskeyParts,
  SignedIn,
  SignInFlow,
  TerminalCodes,
} from "@sealhouse/identity";
import { readCookies } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import type { Site } from "../kit/page/model.ts";
import type { PageForms } from "../kit/forms/page-forms.ts";
import type { From } from "../kit/page/shown-page.ts";

/** Lookups of the pages that sign in and out. */
export type SessionPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: Pick<AccessRules, "authenticator" | "contexts" | "now">;
  readonly random: (size: number) => Uint8Array;
  readonly sessions: BrowserSessions;
  /** Forms that wait for a confirmation. */
  readonly confirmations: Confirmations;
  readonly sessionOf: (from: From) => BrowserSession | undefined;
  readonly pageSessions: Pick<PageSessions, "load" | "confirm">;
  readonly cookies: CookieNames;
  readonly forms: PageForms;
  /** Undefined = no identity provider is configured. */
  readonly flow?: SignInFlow | undefined;
  /** The callback at the registry's public address; undefined when the registry knows none. */
  readonly callbackOf: (from: From, provider: string) => string | undefined;
  readonly passkeys: Pick<PasskeyParts, "passkeys" | "challenges" | "serverName">;
  /** Writes the event of a confirmation that was refused. */
  readonly onUnconfirmed: (refusal: UnconfirmedAction) => Promise<void>;
  /** Undefined = the registry offers no link to the first administrator. */
  readonly first?: FirstAdministrator | undefined;
  /** Codes in the terminal of the host. Undefined = users confirm in other ways. */
  readonly terminal?: TerminalCodes | undefined;
  /** Whether the peer of the request is this machine, without a proxy. */
  readonly isLocalPeer: (from: From) => boolean;
  /** Receives failures of the identity provider. */
  readonly onError: (error: unknown) => void;
};

/** A lasting action that a session failed to confirm, for the audit log. */
export type UnconfirmedAction = {
  readonly by: Caller;
  /** In kebab-case. */
  readonly code: "passkey-refused" | "token-refused" | "code-refused";
  /** A sentence. */
  readonly reason: string;
};

/** Longer than any form of these pages. */
export const FORM_BYTES_MAX = 16 * 1024;

/** Returns the cookies of a request. */
export function cookiesOf({ request }: From): ReadonlyMap<string, string> {
  return readCookies(request.headers.get("cookie"));
}

/** Returns where a sign-in comes from, and the session that it replaces. */
export function originOf(
  { rules, cookies }: Pick<SessionPorts, "rules" | "cookies">,
  from: From,
): Omit<SignedIn, "holder" | "method"> {
  const { id: requestId, address } = rules.contexts.of(from.request, from.env);
  const agent = from.request.headers.get("user-agent") ?? undefined;
  return { requestId, address, agent, formerSecret: cookiesOf(from).get(cookies.session) };
}

/** Returns the caller of a session, for changes that every role allows. */
export function callerOf(
  ports: Pick<SessionPorts, "rules" | "cookies">,
  from: From,
  session: BrowserSession,
): Caller {
  const { address, requestId } = originOf(ports, from);
  const { principal, hash: sessionHash, user } = session;
  return {
    actor: principal.name,
    sessionHash,
    needs: undefined,
    ...(user && { holderId: user.id }),
    ...(!("kind" in principal) && { tokenId: principal.tokenId }),
    ...(address !== undefined && { address }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** Leads the browser to a page of this registry, with new cookies. */
export function seeOther(location: string, setCookies: readonly string[] = []): Response {
  const headers = new Headers({ location, "cache-control": "private, no-store" });
  for (const cookie of setCookies) headers.append("set-cookie", cookie);
  return new Response(undefined, { status: 303, headers });
}
