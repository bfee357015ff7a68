import { randomBytes, randomUUID } from "node:crypto";
import type { KeyRing } from "../key-ring/key-ring.ts";
import type { MembershipChecks, People } from "../people/ports.ts";
import type { TokenLookup } from "../ports.ts";
import type { AccessRules } from "./access-rules.ts";
import type { SignInProvider } from "../sign-in/provider.ts";
import { createBrowserSessions } from "../sessions/browser-sessions.ts";
import type { BrowserSessions } from "../sessions/browser-sessions.ts";
import { createConfirmations } from "../sessions/confirmations.ts";
import type { Confirmations, ConfirmationStore } from "../sessions/confirmations.ts";
import type { CookieNames } from "../sessions/cookies.ts";
import { createFirstAdministrator } from "../sessions/first-administrator.ts";
import type { FirstAdministrator } from "../sessions/first-administrator.ts";
import { createPageSessions } from "./page-sessions.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Sessions } from "../sessions/session.ts";
import { createSignInFlow } from "../sessions/sign-in-flow.ts";
import type { SignInFlow } from "../sessions/sign-in-flow.ts";
import { signInRefused } from "../sessions/sign-in-refused.ts";
import type { SignInRefused } from "../sessions/sign-in-refused.ts";
import { createTerminalCodes } from "../sessions/terminal-codes.ts";
import type { TerminalCodes } from "../sessions/terminal-codes.ts";

/** Dependencies and settings of `openSignIn`. */
export type OpenSignInOptions = {
  readonly database: {
    readonly tokens: Pick<TokenLookup, "findById">;
    readonly sessions: Sessions & { readonly confirmations: ConfirmationStore };
    readonly people: Pick<People, "arrive" | "add" | "find" | "list">;
    readonly membershipChecks: Pick<MembershipChecks, "userOf">;
    readonly events: { record(events: readonly SignInRefused[]): Promise<void> };
  };
  readonly rules: AccessRules;
  readonly cookies: CookieNames;
  /** Undefined when no identity provider is configured. */
  readonly provider: SignInProvider | undefined;
  readonly keyRing: KeyRing;
  /** New users wait for the approval of an administrator. */
  readonly requiresApproval: boolean;
  /** Offers a link to the first administrator, with codes in the terminal. */
  readonly offersFirst: boolean;
  readonly log: { warn(fields: object, message: string): void };
  readonly now: () => Date;
};

/** Sessions of people on the pages, and their sign-in. */
export type PageSignIn = {
  readonly cookies: CookieNames;
  readonly sessions: BrowserSessions;
  readonly pageSessions: PageSessions;
  /** Undefined when no identity provider is configured. */
  readonly flow: SignInFlow | undefined;
  /** Undefined unless the link is offered. */
  readonly first: FirstAdministrator | undefined;
  /** Codes that confirm changes of the first administrator; defined where `first` is. */
  readonly terminal: TerminalCodes | undefined;
  readonly confirmations: Confirmations;
  readonly onError: (error: unknown) => void;
};

/** Opens the sessions of people on the pages, and their sign-in. */
export function openSignIn(options: OpenSignInOptions): PageSignIn {
  const { database, rules, cookies, keyRing, offersFirst, log, now } = options;
  const { tokens, sessions: rows, people } = database;
  const random = (size: number) => randomBytes(size);
  const sessions = createBrowserSessions({ rows, tokens, now, random });
  return {
    cookies,
    sessions,
    pageSessions: createPageSessions({ sessions, cookies, rules }),
    flow: openFlow(options, sessions),
    first: offersFirst
      ? createFirstAdministrator({ people, sessions, now, random, newId: randomUUID })
      : undefined,
    terminal: offersFirst ? createTerminalCodes({ print: printCode, now, random }) : undefined,
    confirmations: createConfirmations({ rows: rows.confirmations, keyRing, now, random }),
    onError: (error) => log.warn({ err: error }, "the identity provider could not be asked"),
  };
}

/** Like the link of the first administrator, which is not in the log either. */
function printCode(code: string, words: string): void {
  process.stderr.write(`\nCode of the administrator's browser: ${code}\n  It confirms: ${words}\n`);
}

function openFlow(
  { database, provider, keyRing, requiresApproval, now }: OpenSignInOptions,
  sessions: BrowserSessions,
): SignInFlow | undefined {
  if (!provider) return undefined;
  return createSignInFlow({
    provider,
    people: database.people,
    accounts: database.membershipChecks,
    sessions,
    keyRing,
    requiresApproval,
    onRefused: (refusal) => database.events.record([signInRefused(refusal)]),
    now,
    random: (size) => randomBytes(size),
  });
}
