import { createBearerTokens, createRefreshTokens, openAuthenticator } from "@sealhouse/identity";
import type { AccessRules, Scope } from "@sealhouse/identity";
import {
  createMemoryRefreshTokens,
  createMemoryTokenStore,
  createTestOrigins,
  createTestRandom,
  createTestToken,
  TEST_PEPPER,
} from "@sealhouse/identity/testing";
import { createRule, createSource, openSourceAdministration } from "@sealhouse/upstream-sources";
import type { PackageSource, PolicyRules, SourceParts } from "@sealhouse/upstream-sources";
import { createMemoryMirrorPorts } from "@sealhouse/upstream-sources/testing";
import { createPageForms } from "../kit/forms/page-forms.ts";
import { createJobRunner } from "@sealhouse/administration/api";
import { createMemoryLeases, memoryJobs } from "@sealhouse/administration/testing";
import type { AdministrationParts } from "@sealhouse/administration";
import { addScreens } from "../add-screens.ts";
import { createAdministrationApp } from "../administration/administration-app.ts";
import type { AdministrationSources } from "../administration/model.ts";
import { exampleSite } from "./example-packages.ts";

const HOUR_MS = 3_600_000;
const START = exampleSite().now;

type Token = { readonly scopes: readonly Scope[]; readonly patterns?: readonly string[] };

/** Tokens of the example, by the user who has them. */
const TOKENS = {
  ada: { scopes: ["admin"] },
  eve: { scopes: ["admin"] },
  reader: { scopes: ["read", "write", "delete"] },
  narrow: { scopes: ["admin"], patterns: ["acme/*"] },
} as const satisfies Readonly<Record<string, Token>>;

export type ExampleUser = keyof typeof TOKENS;

export type ExampleOptions = {
  readonly stored?: readonly PackageSource[];
  readonly configured?: readonly PackageSource[];
  /** Names that are published here, such as `npm/left-pad`. */
  readonly own?: readonly string[];
  readonly fetch?: (url: URL) => Response | Promise<Response>;
  readonly anonymousPull?: boolean;
  /** Counts of the names and versions of a source. Default: none. */
  readonly mirrored?: (source: string) => { readonly names: number; readonly versions: number };
  readonly isMirrorEnabled?: boolean;
  /** Whether the key ring decrypts credentials; asked at each use. Default: it does. */
  readonly hasKey?: () => boolean;
};

/** The pages of administrators with rows in memory, and what they did. */
export function openExampleAdministration(options: ExampleOptions = {}) {
  let time = START.getTime();
  const now = () => new Date(time);
  const ports = createMemoryMirrorPorts({ now, own: options.own ?? [] });
  const callers: string[] = [];
  const changes: string[] = [];
  const { rules, tokens, authorizations } = exampleAccess(now);
  const policies: PolicyRules = {
    list: () => ports.rules.list(),
    add: (rule, { actor }) => (callers.push(actor), ports.rules.add(rule, { actor })),
    remove: (id, { actor }) => (callers.push(actor), ports.rules.remove(id, { actor })),
  };
  const sources = openSourceAdministration({
    rows: {
      list: () => ports.sources.list(),
      put: (row, { actor }) => (callers.push(actor), ports.sources.put(row, { actor })),
      remove: (name, { actor }) => (callers.push(actor), ports.sources.remove(name, { actor })),
    },
    states: ports.states,
    origins: ports.origins,
    keyRing: {
      protect: (_, bytes) => bytes.toReversed(),
      async unprotect(_, bytes) {
        if (options.hasKey?.() === false) throw new Error("the key is lost");
        return bytes.toReversed();
      },
    },
    configured: options.configured ?? [],
    surroundings: {
      isAnonymousPull: options.anonymousPull ?? false,
      ownOrigins: ["http://localhost:8080"],
      surfaces: ["team"],
    },
    fetchOf: () => async (url) => options.fetch?.(new URL(url)) ?? Response.json({}),
    now,
    onChange: () => void changes.push("sources"),
  });
  const parts: AdministrationSources = {
    site: () => exampleSite({ now: now(), hasAdministration: true }),
    rules,
    forms: createPageForms({ pepper: TEST_PEPPER, now }),
    confirm: async () => undefined,
    sources,
    names: ports.origins,
    mirroredFrom: async ({ source }) => options.mirrored?.(source) ?? { names: 0, versions: 0 },
    fallbacks: { strategy: "IndexAndCache", signaturePolicy: "Resign" },
    isMirrorEnabled: options.isMirrorEnabled ?? true,
  };
  const app = createAdministrationApp(parts);
  const jobs = memoryJobs();
  const leases = createMemoryLeases();
  const rows = { administration: { jobs }, upstream: { rules: policies }, leases };
  const { fallbacks, isMirrorEnabled, site, forms, confirm } = parts;
  const opened = {
    administration: sources,
    origins: ports.origins,
    configured: options.configured,
  };
  const actions = {
    load: async () => (await import("@sealhouse/administration/api")).loadActions(),
    parts: {
      rows: async () => rows,
      sources: async () => ({ ...opened, fallbacks, isMirrorEnabled }),
    } as unknown as AdministrationParts,
    runner: createJobRunner({ jobs, now, stop: undefined, onFailure: () => {} }),
  };
  addScreens(app, { site, rules, forms, confirm, actions });
  return {
    app,
    parts,
    actions,
    policies,
    ports,
    sources,
    callers,
    changes,
    tokens,
    authorizationOf: (user: ExampleUser) => authorizations[user],
    tokenOf: (user: ExampleUser) => authorizations[user].replace("Bearer ", ""),
    advance: (ms: number) => void (time += ms),
    async fill(): Promise<void> {
      for (const source of options.stored ?? []) {
        await sources.put(source, { isReplacing: true, caller: { actor: "test" } });
      }
      callers.length = 0;
      changes.length = 0;
    },
  };
}

function exampleAccess(now: () => Date) {
  const made = Object.entries(TOKENS).map(
    ([name, token]) => [name, createTestToken({ name, ...token }, START)] as const,
  );
  const store = createMemoryTokenStore(made.map(([, { record }]) => record));
  const random = createTestRandom();
  const identity = { tokens: store, pepper: TEST_PEPPER, now };
  const issuer = { issuer: "sealhouse", service: "default", random };
  const refresh = { store: createMemoryRefreshTokens(), tokens: store, now, random };
  const rules: AccessRules = {
    authenticator: openAuthenticator(identity),
    bearerTokens: createBearerTokens({ ...identity, ...issuer }),
    refreshTokens: createRefreshTokens(refresh),
    contexts: createTestOrigins(),
    anonymousPull: true,
    now,
  };
  const authorizations = Object.fromEntries(
    made.map(([name, { token }]) => [name, `Bearer ${token}`]),
  );
  return {
    rules,
    tokens: store,
    authorizations: authorizations as Readonly<Record<ExampleUser, string>>,
  };
}

/** Creates a source of the database, or of the settings. */
export function exampleSource(fields: Partial<SourceParts> = {}): PackageSource {
  return createSource({
    name: "npmjs",
    protocol: "npm",
    url: "https://registry.npmjs.org",
    from: "database",
    ...fields,
  });
}

/** A registry with sources in every state, and with rules. */
export async function exampleAdministration() {
  const example = openExampleAdministration({
    stored: [
      exampleSource({ settings: { minimumReleaseAgeMs: 7 * 24 * HOUR_MS, deny: ["@acme/*"] } }),
      exampleSource({
        name: "partner-feed",
        protocol: "nuget",
        url: `https://feed.partner.example/${"long-path/".repeat(12)}v3/index.json`,
        credentials: { type: "basic", username: "ada", password: "hidden" },
        settings: { allow: ["Partner.*"] },
      }),
      exampleSource({ name: "hub", protocol: "oci", url: "https://docker.io", surface: "team" }),
      exampleSource({ name: "old", url: "https://old.example", isEnabled: false }),
    ],
    configured: [exampleSource({ name: "from-settings", from: "configuration" })],
  });
  await example.fill();
  const { states, rules } = example.ports;
  await states.note("npmjs", { lastSuccessAt: ago(1) });
  await states.note("partner-feed", {
    lastSuccessAt: ago(30),
    lastErrorAt: ago(2),
    lastError: `GET /v3 answered 500 <b>${"no-break".repeat(60)}</b>`,
  });
  await states.note("hub", {
    lastErrorAt: ago(0),
    lastError: "The server asked for a pause.",
    pausedUntil: ago(-1),
  });
  const texts = {
    effect: "deny",
    protocol: "npm",
    reason: "Calls home; see ticket 4711.",
  } as const;
  const made = { createdBy: "ada", now: ago(48) };
  for (const [id, fields] of Object.entries({
    "00000000-0000-4000-8000-0000000000a1": { pattern: "left-pad", versions: "<1.3.0" },
    "00000000-0000-4000-8000-0000000000a2": { pattern: "**", licenses: ["GPL-*", "AGPL-*"] },
    "00000000-0000-4000-8000-0000000000a3": {
      pattern: "@acme/app",
      effect: "allow",
      expires: "2026-02-28",
    } as const,
  })) {
    const outcome = createRule({ ...texts, ...fields }, { id, ...made });
    if (outcome.status !== "created") throw new Error(`${id} is refused`);
    await rules.add(outcome.rule, { actor: "ada" });
  }
  return example;
}

function ago(hours: number): Date {
  return new Date(START.getTime() - hours * HOUR_MS);
}
