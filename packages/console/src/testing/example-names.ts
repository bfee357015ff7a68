import { randomUUID } from "node:crypto";
import { createNameViews } from "@sealhouse/identity";
import type {
  HiddenName,
  NameVisibilities,
  OwnableName,
  Owner,
  Role,
  TeamLevel,
  TeamMember,
} from "@sealhouse/identity";
import { createMemoryOwnership, createMemoryPolicies } from "@sealhouse/identity/testing";
import { askConfirmation } from "../sign-in/confirmation.ts";
import { createNamesApp } from "../names/names-app.ts";
import type { NameSources } from "../names/name-sources.ts";
import { openExample } from "./signed-in-example.ts";

const keyOf = ({ protocol, name }: OwnableName) => `${protocol}/${name}`;

const BOB: Owner = { id: "id-of-bob", kind: "user", handle: "bob" };
const BUILDERS: Owner = { id: "id-of-builders", kind: "team", handle: "builders" };
const GITHUB = "https://token.actions.githubusercontent.com";
const GITLAB = "https://gitlab.com";

/** Names of the example that exist, with who manages each. */
const NAMES = [
  [{ protocol: "npm", name: "@acme/app" }, "ada"],
  [{ protocol: "nuget", name: "acme.core" }, "builders"],
  [{ protocol: "oci", name: "team/app" }, "ada"],
  [{ protocol: "npm", name: "published-only" }, "bob"],
  [{ protocol: "npm", name: "foreign" }, "bob"],
  [{ protocol: "npm", name: "secret" }, "bob"],
] as const satisfies readonly (readonly [OwnableName, string])[];

export type NameExampleOptions = {
  readonly role?: Role;
  /** Ada's level in the team builders; manager unless set. */
  readonly teamLevel?: TeamLevel;
  /** The registry's public address. */
  readonly home?: string;
  /** Names that Ada only reads, unless she signed in with a second factor. */
  readonly mfaPatterns?: readonly string[];
  readonly hasSecondFactor?: boolean;
};

/**
 * The pages of names with rows in memory. Ada, a publisher, is signed in,
 * manages the team builders, and confirms all lasting actions.
 */
export async function openExampleNames(options: NameExampleOptions = {}) {
  const { role = "publisher", teamLevel = "manager", home } = options;
  const { mfaPatterns, hasSecondFactor = false } = options;
  const example = openExample({
    ...(home !== undefined && { home }),
    finish: async () => ({ ...ADA, role, hasSecondFactor }),
  });
  const { ports } = example;
  const memory = openMemory(ports.rules.now);
  const { sources, hidden, teams, members } = memory;
  example.app.route(
    "/",
    createNamesApp({
      ...ports,
      confirm: askConfirmation(ports),
      ...sources({ ...ports.rules, mfaPatterns }),
    }),
  );
  const state = await example.startAtProvider();
  await example.get(`/signin-microsoft?code=good&state=${state}`);
  const [user] = [...example.users.values()];
  if (!user) throw new Error("Ada did not sign in.");
  const ada: Owner = { id: user.id, kind: "user", handle: user.handle };
  teams.set(ada.id, [BUILDERS.id]);
  await memory.addMember(BUILDERS.id, ada.id, teamLevel);
  members.push({
    userId: ada.id,
    handle: "ada",
    displayName: "Ada",
    level: teamLevel,
    source: "hand",
  });
  const owners: Readonly<Record<string, Owner>> = { ada, bob: BOB, builders: BUILDERS };
  for (const owner of Object.values(owners)) {
    await memory.addOwner(owner, owner === ada ? role : "publisher");
  }
  const by = { actor: "test" };
  for (const [name, handle] of NAMES) {
    await memory.ownerships.grant(name, { ...(owners[handle] ?? ada), level: "manage" }, by);
  }
  const shared = { protocol: "npm", name: "published-only" } as const;
  await memory.ownerships.grant(shared, { ...ada, level: "publish" }, by);
  hidden.set("npm/secret", "private");
  example.confirm();
  return { ...example, ...memory, ada };
}

const ADA = {
  status: "verified",
  issuer: "https://idp.example",
  subject: "1",
  shown: "ada@acme.example",
  displayName: "Ada Lovelace",
  groups: [],
} as const;

function openMemory(now: () => Date) {
  const { ownerships, transfers, addOwner, addMember } = createMemoryOwnership(now);
  const hidden = new Map<string, HiddenName["visibility"]>();
  const teams = new Map<string, readonly string[]>();
  const members: TeamMember[] = [];
  const exists = (name: OwnableName) => NAMES.some(([known]) => keyOf(known) === keyOf(name));
  const policies = createMemoryPolicies({
    now,
    isName: (protocol, name) => exists({ protocol, name }),
  });
  const standing: NameSources["ownerships"]["standing"] = async (name, holderId) => ({
    ...(await ownerships.standing(name, holderId)),
    exists: exists(name),
  });
  const find: NameVisibilities["find"] = async (protocol, name) => {
    const visibility = hidden.get(keyOf({ protocol, name }));
    const owners = await ownerships.list({ protocol, name });
    return visibility && { name, visibility, owners: owners.map(({ id }) => id) };
  };
  const visibilities: NameVisibilities = {
    any: async () => hidden.size > 0,
    find,
    list: async () => [],
    ownersOf: async ({ user }) => (user ? [user.id, ...(teams.get(user.id) ?? [])] : []),
    async set(protocol, name, { visibility }) {
      const key = keyOf({ protocol, name });
      if (!exists({ protocol, name })) return "absent";
      if ((hidden.get(key) ?? "public") === visibility) return "unchanged";
      if (visibility === "public") hidden.delete(key);
      else hidden.set(key, visibility);
      return "set";
    },
  };
  const names = {
    mode: "enforce",
    newNames: "anyone",
    ownerships: { standing },
    report: () => undefined,
  } as const;
  const team = { ...BUILDERS, displayName: "Builders", createdAt: now() };
  const sources = (rules: NameSources["rules"]) => ({
    rules: { ...rules, names, views: createNameViews(visibilities) },
    ownerships: { ...ownerships, standing },
    transfers,
    visibilities,
    policies,
    teams: {
      find: async (id: string) => (id === team.id ? team : undefined),
      members: async (id: string) => (id === team.id ? members : []),
    },
    trust: {
      issuers: { github: GITHUB, gitlab: GITLAB },
      policyIssuers: [GITHUB, GITLAB, "https://kubernetes.default.svc.cluster.local"],
    },
    newId: randomUUID,
  });
  return { ownerships, transfers, policies, hidden, teams, members, addOwner, addMember, sources };
}
