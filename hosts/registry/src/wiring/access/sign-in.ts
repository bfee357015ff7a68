import { randomBytes, randomUUID } from "node:crypto";
import type { createPageForms, SessionSources } from "@sealhouse/console";
import type { Database } from "@sealhouse/database";
import { connectionOf, isLocalPeer, isLoopbackHost } from "@sealhouse/http-server";
import {
  cookieNames,
  createBrowserSessions,
  createConfirmations,
  createFirstAdministrator,
  createPageSessions,
  createSignInFlow,
  createTerminalCodes,
  signInRefused,
} from "@sealhouse/identity";
import type {
  BrowserSessions,
  Confirmations,
  CookieNames,
  FirstAdministrator,
  KeyRing,
  PageSessions,
  SignInFlow,
  TerminalCodes,
} from "@sealhouse/identity";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { openIdentityProvider } from "./identity-provider.ts";
import type { AccessRules } from "./access-rules.ts";

export type SignInParts = {
  readonly config: Config;
  readonly database: Database;
  readonly keyRing: KeyRing;
  readonly rules: AccessRules;
  readonly log: Pick<Log, "warn">;
  readonly now: () => Date;
};

/** Sessions of people on the pages, and their sign-in. */
export type HostSignIn = {
  readonly cookies: CookieNames;
  readonly sessions: BrowserSessions;
  readonly pageSessions: PageSessions;
  /** Undefined when no identity provider is configured. */
  readonly flow: SignInFlow | undefined;
  /** Undefined unless the host runs in Development without an identity provider. */
  readonly first: FirstAdministrator | undefined;
  /** Codes that confirm changes of the first administrator; defined where `first` is. */
  readonly terminal: TerminalCodes | undefined;
  readonly confirmations: Confirmations;
  readonly onError: (error: unknown) => void;
};

export function openSignIn(parts: SignInParts): HostSignIn {
  const { config, database, keyRing, rules, log, now } = parts;
  const { tokens, sessions: rows, people } = database;
  const random = (size: number) => randomBytes(size);
  const cookies = cookieNames(config.development ? config.host.addresses[0]?.port : undefined);
  const sessions = createBrowserSessions({ rows, tokens, now, random });
  const isFirstOffered = config.development && !config.signIn;
  warnAboutAddresses(config, log);
  return {
    cookies,
    sessions,
    pageSessions: createPageSessions({ sessions, cookies, rules }),
    flow: openFlow(parts, sessions),
    first: isFirstOffered
      ? createFirstAdministrator({ people, sessions, now, random, newId: randomUUID })
      : undefined,
    terminal: isFirstOffered ? createTerminalCodes({ print: printCode, now, random }) : undefined,
    confirmations: createConfirmations({ rows: rows.confirmations, keyRing, now, random }),
    onError: (error) => log.warn({ err: error }, "the identity provider could not be asked"),
  };
}

/** Like the link of the first administrator, which is not in the log either. */
function printCode(code: string, words: string): void {
  process.stderr.write(`\nCode of the administrator's browser: ${code}\n  It confirms: ${words}\n`);
}

/** People cannot sign in at addresses where browsers refuse the cookie. */
function warnAboutAddresses({ signIn, feed, development }: Config, log: SignInParts["log"]): void {
  if (!signIn) return;
  const { publicBaseUrls } = feed;
  if (publicBaseUrls.length === 0 && !development) {
    log.warn(
      {},
      "people cannot sign in: set Feed__PublicBaseUrl to the https address of this feed",
    );
  }
  for (const url of publicBaseUrls) {
    const { protocol, hostname } = new URL(url);
    if (protocol === "https:" || isLoopbackHost(hostname)) continue;
    log.warn(
      { url },
      "people cannot sign in at this address, because browsers keep the cookie only on https and " +
        "localhost; set Feed__PublicBaseUrl to an https address",
    );
  }
}

function openFlow(
  { config, database, keyRing, now }: SignInParts,
  sessions: BrowserSessions,
): SignInFlow | undefined {
  const provider = openIdentityProvider({ config, database, now });
  if (!provider) return undefined;
  return createSignInFlow({
    provider,
    people: database.people,
    accounts: database.membershipChecks,
    sessions,
    keyRing,
    requiresApproval: config.host.access.requireNewUserApproval,
    onRefused: (refusal) => database.events.record([signInRefused(refusal)]),
    now,
    random: (size) => randomBytes(size),
  });
}

type SessionParts = {
  readonly config: Config;
  readonly resources: { readonly database: Pick<Database, "passkeys" | "events"> };
  readonly access: {
    readonly rules: AccessRules;
    readonly pepper: string;
    readonly signIn: HostSignIn;
  };
};

/** Composes the data sources of the pages that sign in. Their package is loaded lazily. */
export function sessionSources(
  { config, resources, access }: SessionParts,
  site: SessionSources["site"],
  makeForms: typeof createPageForms,
): SessionSources {
  const { database } = resources;
  const { rules, pepper, signIn } = access;
  const { publicBaseUrls } = config.feed;
  const sessionOf: SessionSources["sessionOf"] = ({ request, env }) =>
    signIn.pageSessions.of(rules.contexts.of(request, env));
  const origins = publicBaseUrls.map((url) => new URL(url).origin);
  return {
    ...signIn,
    site,
    rules,
    sessionOf,
    random: (size) => randomBytes(size),
    forms: makeForms({ pepper, now: rules.now, sessionOf, origins }),
    callbackOf({ request, env }, provider) {
      const { base } = rules.contexts.of(request, env).publicAddress;
      const isKnown = publicBaseUrls.length > 0 || isLoopbackHost(new URL(base).hostname);
      return isKnown ? `${base}/signin-${provider}` : undefined;
    },
    passkeys: {
      passkeys: database.passkeys,
      challenges: database.passkeys.challenges,
      serverName: config.host.serverName,
    },
    onUnconfirmed: ({ by, code, reason }) => {
      const subject = by.tokenId === undefined ? `user/${by.actor}` : `token/${by.tokenId}`;
      const event = {
        type: "user.refused",
        subject,
        caller: by,
        detail: { code, reason },
      } as const;
      return database.events.record([event]);
    },
    isLocalPeer: ({ request, env }) => isLocalPeer(connectionOf(request, env)),
  };
}
