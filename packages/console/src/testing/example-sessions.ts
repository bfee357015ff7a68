import { randomBytes, randomUUID } from "node:crypto";
import type {
  Sessions,
  SessionUser,
  SignInProvider,
  TokenAdministration,
  VerifiedPerson,
} from "@sealhouse/identity";
import {
  cookieNames,
  createBrowserSessions,
  createConfirmations,
  createFirstAdministrator,
  createLoginCodes,
  createOwnTokens,
  createPageSessions,
  createSignInFlow,
  createTerminalCodes,
  teamGroupProblem,
} from "@sealhouse/identity";
import {
  createMemoryConfirmations,
  createMemoryLoginSessions,
  createMemoryPasskeys,
  createMemoryPeople,
  createMemorySessions,
  createTestKeys,
  TEST_PEPPER,
} from "@sealhouse/identity/testing";
import { Hono } from "hono";
import type { PeoplePorts } from "@sealhouse/identity/testing";
import { addScreens } from "../add-screens.ts";
import { createAdministrationApp } from "../administration/administration-app.ts";
import { createPeopleApp } from "../people/people-app.ts";
import { createPageForms } from "../kit/forms/page-forms.ts";
import type { From } from "../kit/page/shown-page.ts";
import { askConfirmation } from "../sign-in/confirmation.ts";
import { createSessionApp } from "../sign-in/session-app.ts";
import type { UnconfirmedAction } from "../sign-in/session-ports.ts";
import { createSignInApp } from "../sign-in/sign-in-app.ts";
import { useSessions } from "../sign-in/use-sessions.ts";
import { loginDecisions, signInPages } from "../sign-in/waiting-sign-ins.ts";
import { createTokensApp } from "../tokens/tokens-app.ts";
import type { PeopleSources } from "../people/people-sources.ts";
import { openExampleAdministration } from "./example-administration.ts";
import { exampleSite } from "./example-packages.ts";

export type SessionExampleOptions = {
  /** The registry's public address. */
  readonly home?: string;
  readonly hasProvider?: boolean;
  readonly requiresApproval?: boolean;
  /** Whether the provider can ask a person to sign in again; default true. */
  readonly canAskAgain?: boolean;
  /** Replaces the answer of the provider. */
  readonly finish?: SignInProvider["finish"];
};

/** The person whom the provider of the example signs in. */
const ADA: VerifiedPerson = {
  status: "verified",
  issuer: "https://idp.example",
  subject: "1",
  shown: "ada@acme.example",
  displayName: "Ada Lovelace",
  role: "administrator",
  groups: [],
};

/** The pages of sign-in and of administrators with rows in memory. */
export function openExampleSessions(options: SessionExampleOptions = {}) {
  const { home = "https://registry.example", hasProvider = true, canAskAgain = true } = options;
  const administration = openExampleAdministration();
  const { rules: ownRules, site: _, ...parts } = administration.parts;
  const { now } = ownRules;
  const random = (size: number) => randomBytes(size);
  const registry = createMemoryPeople(now);
  const { people, membershipChecks: accounts } = registry;
  const users = new Map<string, SessionUser>();
  const rows = createMemorySessions(users);
  const sessions = createBrowserSessions({
    rows,
    tokens: administration.tokens,
    now,
    random,
  });
  const cookies = cookieNames();
  const pageSessions = createPageSessions({ sessions, cookies, rules: ownRules });
  const rules = { ...ownRules, identifyPage: pageSessions.identify };
  const contextOf = ({ request, env }: From) => rules.contexts.of(request, env);
  const sessionOf = (from: From) => pageSessions.of(contextOf(from));
  const origins = [new URL(home).origin];
  const forms = createPageForms({ pepper: "a key of the example", now, sessionOf, origins });
  const refusals: unknown[] = [];
  const errors: unknown[] = [];
  const unconfirmed: UnconfirmedAction[] = [];
  const printed: string[] = [];
  const passkeys = createMemoryPasskeys();
  const flow = createSignInFlow({
    provider: {
      ...exampleProvider(),
      canAskAgain,
      ...(options.finish && { finish: options.finish }),
    },
    people: {
      async arrive(arrival) {
        const arrived = await people.arrive(arrival);
        users.set(arrived.person.id, arrived.person);
        return arrived;
      },
    },
    accounts,
    sessions,
    keyRing: createTestKeys(),
    requiresApproval: options.requiresApproval ?? false,
    onRefused: async (refusal) => void refusals.push(refusal),
    now,
    random,
  });
  const first = createFirstAdministrator({
    people: {
      list: () => people.list(),
      add: (person, time, by) => people.add(person, time, by),
      async find(id) {
        const person = await people.find(id);
        if (person) users.set(person.id, person);
        return person;
      },
    },
    sessions,
    now,
    random,
    newId: randomUUID,
  });
  const site = (request: Request, env: unknown) => {
    const session = sessionOf({ request, env });
    const { pathname: path, search } = new URL(request.url);
    const name = session && (session.user?.displayName ?? session.principal.name);
    const visitor = { path: path + search, ...(name !== undefined && { name }) };
    return exampleSite({ address: home, now: now(), hasAdministration: true, visitor });
  };
  const ports = {
    site,
    rules,
    random,
    sessions,
    sessionOf,
    cookies,
    forms,
    pageSessions,
    first,
    flow: hasProvider ? flow : undefined,
    callbackOf: (__: From, provider: string) => `${home}/signin-${provider}`,
    confirmations: createConfirmations({
      rows: createMemoryConfirmations(),
      keyRing: createTestKeys(),
      now,
      random,
    }),
    terminal: hasProvider
      ? undefined
      : createTerminalCodes({ print: (code) => void printed.push(code), now, random }),
    passkeys: { passkeys, challenges: passkeys.challenges, serverName: "Sealhouse" },
    onUnconfirmed: async (refusal: UnconfirmedAction) => void unconfirmed.push(refusal),
    isLocalPeer: ({ request }: From) => !request.headers.has("x-forwarded-for"),
    onError: (error: unknown) => void errors.push(error),
  };
  const loginSessions = createMemoryLoginSessions();
  const logins = { loginSessions, rules, loginCodes: createLoginCodes({ loginSessions, now }) };
  const app = new Hono();
  useSessions(app, ports);
  const confirm = askConfirmation(ports);
  app.route(
    "/",
    createSessionApp(ports, (request, env) => app.fetch(request, env)),
  );
  app.route("/", createAdministrationApp({ ...parts, site, rules, forms, confirm }));
  const { tokens } = administration;
  const peopleParts = examplePeople({ registry, rows, tokens });
  app.route("/", createPeopleApp({ ...peopleParts, site, rules, forms, confirm }));
  const ownTokens = createOwnTokens({ tokens, pepper: TEST_PEPPER, random, now });
  app.route("/", createTokensApp({ ...ports, ownTokens, confirm }));
  const decisions = loginDecisions(logins, ports, confirm);
  app.route("/", createSignInApp({ site, waiting: signInPages(logins), decisions }));
  const { actions } = administration;
  addScreens(app, { site, rules, forms, confirm, actions });
  const { advance, tokenOf, authorizationOf } = administration;
  return {
    app,
    home,
    ports,
    cookies,
    users,
    people,
    registry,
    rows,
    tokens,
    sessions,
    first,
    loginSessions,
    refusals,
    unconfirmed,
    printed,
    passkeys,
    errors,
    advance,
    tokenOf,
    authorizationOf,
  };
}

/** Signs Ada in for the code `good`, and Eve for `eve`; any other code is refused. */
function exampleProvider(): SignInProvider {
  return {
    name: "microsoft",
    label: "Microsoft",
    issuer: "https://idp.example",
    canAskAgain: true,
    async start({ state, redirectUri }) {
      const query = new URLSearchParams({ state, redirect_uri: redirectUri });
      return new URL(`https://idp.example/authorize?${query.toString()}`);
    },
    async finish(callback) {
      const code = callback.searchParams.get("code");
      if (code === "eve") return { ...ADA, subject: "2", shown: "eve@acme.example" };
      return code === "good"
        ? ADA
        : { status: "refused", code: "stranger", reason: "You are a stranger." };
    },
    check: async () => ({ outcome: "unknown", reason: "not asked" }),
    forget: async () => undefined,
  };
}

type Parts = {
  readonly registry: PeoplePorts;
  readonly rows: Sessions;
  readonly tokens: TokenAdministration;
};

/** Lookups of the pages of users, over rows in memory. */
export function examplePeople({
  registry,
  rows,
  tokens,
}: Parts): Omit<PeopleSources, "site" | "rules" | "forms" | "confirm"> {
  const { people, userDetails, teams, serviceAccounts } = registry;
  return {
    people,
    userDetails,
    teams,
    serviceAccounts,
    tokens,
    sessions: rows,
    ownerships: { names: async () => [{ protocol: "npm", name: "@acme/app", level: "manage" }] },
    groupProblem: (text) => teamGroupProblem(text, "github"),
  };
}
