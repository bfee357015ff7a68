import { readCredentials } from "../credentials.ts";
import type {
  IdentificationRules,
  IdentifyPage,
  RequestHeaders,
  RequestOrigin,
} from "./identification.ts";
import { identify, noteCaller } from "./identification.ts";
import type { BrowserSession, BrowserSessions } from "../sessions/browser-sessions.ts";
import type { CookieNames } from "../sessions/cookies.ts";
import { readCookies } from "../sessions/cookies.ts";

/**
 * A request for a page. `mayRotate`: its answer can give the browser a new secret, and it changes
 * nothing.
 */
export type PageRequest = RequestHeaders & { readonly mayRotate: boolean };

/** Sessions of the requests for pages; each request is looked up once. */
export interface PageSessions {
  /** Finds the session of a request. Must run before `of` and `identify`. */
  load(request: PageRequest): Promise<BrowserSession | undefined>;
  /** The session that `load` found. */
  of(context: RequestOrigin): BrowserSession | undefined;
  /** Notes that the session has confirmed the action of this request. */
  confirm(context: RequestOrigin): void;
  readonly identify: IdentifyPage;
}

/**
 * Finds the sessions of requests for pages. Pages ignore Basic credentials, which browsers send by
 * themselves. With any other credentials in the headers, the cookie does not count.
 */
export function createPageSessions(options: {
  readonly sessions: Pick<BrowserSessions, "find">;
  readonly cookies: CookieNames;
  readonly rules: IdentificationRules;
}): PageSessions {
  const { sessions, cookies, rules } = options;
  return {
    async load({ headers, context, mayRotate }) {
      if (hasOwnCredentials(headers)) return undefined;
      const secret = readCookies(headers.get("cookie")).get(cookies.session);
      const session = secret === undefined ? undefined : await sessions.find(secret, { mayRotate });
      if (!session) return undefined;
      const { decisions } = context;
      decisions.session = session;
      // A page may offer a lasting action; its form is what a session confirms.
      if (mayRotate) decisions.isConfirmed = true;
      noteCaller(rules, context, session.principal);
      return session;
    },
    of: ({ decisions }) => decisions.session,
    confirm: ({ decisions }) => void (decisions.isConfirmed = true),
    async identify({ headers, context }) {
      const { session, isConfirmed = false } = context.decisions;
      if (session) {
        return { status: "principal", principal: { ...session.principal, isConfirmed } };
      }
      if (!hasOwnCredentials(headers)) return { status: "none" };
      return identify(rules, readCredentials(headers), context);
    },
  };
}

/** Whether a program sent credentials. */
function hasOwnCredentials(headers: RequestHeaders["headers"]): boolean {
  const credentials = readCredentials(headers);
  if (credentials.type === "secret") return credentials.via !== "basic";
  const isBasic = /^basic\b/i.test(headers.get("authorization")?.trim() ?? "basic");
  return !isBasic;
}
