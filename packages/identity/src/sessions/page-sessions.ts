import { readCredentials } from "../credentials.ts";
import type {
  AccessRules,
  IdentifyPage,
  RequestHeaders,
  RequestOrigin,
} from "../requests/access-rules.ts";
import { identifyOnce } from "../requests/access-rules.ts";
import type { BrowserSession, BrowserSessions } from "./browser-sessions.ts";
import type { CookieNames } from "./cookies.ts";
import { readCookies } from "./cookies.ts";

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
  readonly rules: AccessRules;
}): PageSessions {
  const { sessions, cookies, rules } = options;
  const loaded = new WeakMap<RequestOrigin, BrowserSession>();
  /** Requests that may do lasting actions: those that only read, and confirmed forms. */
  const confirmed = new WeakSet<RequestOrigin>();
  return {
    async load({ headers, context, mayRotate }) {
      if (hasOwnCredentials(headers)) return undefined;
      const secret = readCookies(headers.get("cookie")).get(cookies.session);
      const session = secret === undefined ? undefined : await sessions.find(secret, { mayRotate });
      if (!session) return undefined;
      loaded.set(context, session);
      if (mayRotate) confirmed.add(context);
      rules.contexts.confirmAddress(context);
      const { principal } = session;
      if (!("kind" in principal)) context.tokenId = principal.tokenId;
      return session;
    },
    of: (context) => loaded.get(context),
    confirm: (context) => void confirmed.add(context),
    async identify({ headers, context }) {
      const session = loaded.get(context);
      if (session) {
        const { principal } = session;
        // A page may offer a lasting action; its form is what a session confirms.
        const isConfirmed = confirmed.has(context);
        return { status: "principal", principal: { ...principal, isConfirmed } };
      }
      if (!hasOwnCredentials(headers)) return { status: "none" };
      return identifyOnce(rules, readCredentials(headers), context);
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
