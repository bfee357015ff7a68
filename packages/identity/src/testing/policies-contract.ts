import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Protocol } from "@sealhouse/request-types";
import type { IdToken } from "../id-tokens/verify-id-token.ts";
import type { PublishPolicy } from "../policies/policy.ts";
import type { Policies } from "../policies/ports.ts";
import type { TokenRecord } from "../ports.ts";
import { tokenRecord } from "./token-record.ts";

/** An empty store of policies, with the other parts that the tests need. */
export type TestedPolicies = {
  readonly policies: Policies;
  /** The same rows, as another instance of the registry opens them. */
  readonly others: Policies;
  readonly findToken: (id: string) => Promise<TokenRecord | undefined>;
  readonly revokeToken: (id: string) => Promise<void>;
  /** Creates a package. */
  readonly createName: (protocol: "npm" | "nuget", name: string) => Promise<void>;
};

export type PoliciesTest = {
  readonly name: string;
  readonly run: (tested: TestedPolicies) => Promise<void>;
};

const ISSUER = "https://token.actions.test";
const by = { actor: "operator" };
const MINUTE_MS = 60_000;

/** A policy of a repository at GitHub. */
export function publishPolicy(wish: Partial<PublishPolicy> = {}): PublishPolicy {
  return {
    id: randomUUID(),
    provider: "github",
    issuer: ISSUER,
    claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
    protocols: ["npm"],
    patterns: ["@acme/demo"],
    scopes: ["publish"],
    lifeSeconds: 900,
    mayCreate: true,
    events: [],
    state: "active",
    createdAt: new Date("2026-03-01T10:00:00.123Z"),
    createdBy: "operator",
    ...wish,
  };
}

function idToken(claims: object = {}, fingerprint = randomUUID()): IdToken {
  const run = {
    repository: "acme/demo",
    repository_id: "7",
    repository_owner_id: "1",
    workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
  };
  const endsAt = new Date(Date.now() + 5 * MINUTE_MS);
  return { issuer: ISSUER, claims: { ...run, ...claims }, fingerprint, endsAt };
}

function freshToken(wish: Partial<TokenRecord> = {}): TokenRecord {
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 15 * MINUTE_MS);
  return tokenRecord({ id: randomUUID(), createdAt, expiresAt, ...wish });
}

type Wish = {
  readonly token?: TokenRecord;
  readonly one?: IdToken;
  readonly surface?: Protocol;
  readonly subject?: string;
  readonly keepsValid?: boolean;
};

function use(policies: Policies, policy: Pick<PublishPolicy, "id">, wish: Wish = {}) {
  const { token = freshToken(), one = idToken(), surface = "npm", subject = "@acme/demo" } = wish;
  const { keepsValid = false } = wish;
  const used = { policyId: policy.id, idToken: one, surface, subject, keepsValid };
  return policies.use(used, token, by);
}

/** Contract tests of policy stores; each starts with an empty store. */
export const policiesContract: readonly PoliciesTest[] = [
  {
    name: "returns every field of a policy, by issuer and protocol, in order of creation",
    async run({ policies }) {
      const whole = publishPolicy({
        protocols: ["nuget", "oci"],
        patterns: ["Acme.*", "team/**"],
        scopes: ["write", "read"],
        events: ["workflow_run"],
        claims: { repository_id: "7", environment: "prod", workflow_ref: { file: "a b.yml" } },
        pinEndsAt: new Date("2026-04-01T10:00:00.456Z"),
        fixedAudience: "api://elsewhere",
        ownerId: randomUUID(),
        state: "pending",
        mayCreate: false,
      });
      const later = publishPolicy({
        createdAt: new Date("2026-03-02T00:00:00Z"),
        issuer: "https://x.test",
      });
      assert.equal(await policies.add(later, by), "added");
      assert.equal(await policies.add(whole, by), "added");
      assert.equal(await policies.add(whole, by), "present");
      assert.deepEqual(await policies.list(), [whole, later]);
      assert.deepEqual(await policies.matching(ISSUER, "oci"), [whole]);
      assert.deepEqual(await policies.matching(ISSUER, "npm"), []);
    },
  },
  {
    name: "gives at most one token for an ID token, protocol and name, at all instances",
    async run({ policies, others, findToken }) {
      const policy = publishPolicy();
      await policies.add(policy, by);
      const [one, first, second] = [idToken(), freshToken(), freshToken()];
      assert.equal(await use(policies, policy, { one, token: first }), "issued");
      const again = { ...second, id: first.id };
      assert.equal(await use(others, policy, { one, token: again }), "replaced");
      assert.equal((await findToken(first.id))?.hash, second.hash);
    },
  },
  {
    name: "keeps a valid token where clients send the ID token again, and replaces an expired one",
    async run({ policies, others, findToken }) {
      const policy = publishPolicy({ protocols: ["oci"], patterns: ["team/**"] });
      await policies.add(policy, by);
      const images = { surface: "oci", subject: "", keepsValid: true, one: idToken() } as const;
      const token = freshToken({ expiresAt: new Date(Date.now() + 1_000) });
      assert.equal(await use(policies, policy, { ...images, token }), "issued");
      const other = { ...freshToken(), id: token.id };
      assert.equal(await use(others, policy, { ...images, token: other }), "same");
      assert.equal((await findToken(token.id))?.hash, token.hash);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      assert.equal(await use(policies, policy, { ...images, token: other }), "replaced");
      assert.equal((await findToken(token.id))?.hash, other.hash);
    },
  },
  {
    name: "refuses an ID token that was used for another protocol, with any policy and at once",
    async run({ policies, others }) {
      const npm = publishPolicy();
      const nuget = publishPolicy({ protocols: ["nuget"], patterns: ["Acme.*"] });
      for (const policy of [npm, nuget]) await policies.add(policy, by);
      const one = idToken();
      const outcomes = await Promise.all([
        use(policies, npm, { one }),
        use(others, nuget, { one, surface: "nuget", subject: "" }),
      ]);
      assert.deepEqual(outcomes.toSorted(), ["elsewhere", "issued"]);
    },
  },
  {
    name: "gives no token after its token was revoked",
    async run({ policies, revokeToken }) {
      const policy = publishPolicy();
      await policies.add(policy, by);
      const [one, token] = [idToken(), freshToken()];
      await use(policies, policy, { one, token });
      await revokeToken(token.id);
      assert.equal(await use(policies, policy, { one, token: { ...token } }), "revoked");
    },
  },
  {
    name: "stores the ids of the first ID token, and refuses those of a remade repository or owner",
    async run({ policies }) {
      const policy = publishPolicy({ pinEndsAt: new Date(Date.now() + MINUTE_MS) });
      await policies.add(policy, by);
      assert.equal(
        await use(policies, policy, { one: idToken({ repository: "a/b" }) }),
        "distrusted",
      );
      assert.equal(await use(policies, policy), "issued");
      const [stored] = await policies.list();
      assert.deepEqual(stored?.pinned, { repository_id: "7", repository_owner_id: "1" });
      assert.ok(stored?.usedAt);
      for (const remade of [{ repository_id: "8" }, { repository_owner_id: "2" }]) {
        assert.equal(await use(policies, policy, { one: idToken(remade) }), "distrusted");
      }
    },
  },
  {
    name: "ends an unused policy without ids after its time",
    async run({ policies }) {
      const policy = publishPolicy({ pinEndsAt: new Date(Date.now() - 1_000) });
      await policies.add(policy, by);
      assert.equal(await use(policies, policy), "distrusted");
    },
  },
  {
    name: "revokes the tokens of a removed policy",
    async run({ policies, findToken }) {
      const [policy, kept] = [publishPolicy(), publishPolicy({ patterns: ["@acme/*"] })];
      const [mine, theirs] = [freshToken(), freshToken()];
      for (const each of [policy, kept]) await policies.add(each, by);
      await use(policies, policy, { token: mine });
      await use(policies, kept, { token: theirs });
      assert.equal(await policies.remove(policy.id, by), "removed");
      assert.equal(await policies.remove(policy.id, by), "absent");
      assert.ok((await findToken(mine.id))?.revokedAt);
      assert.equal((await findToken(theirs.id))?.revokedAt, undefined);
      assert.equal(await use(policies, policy), "distrusted");
    },
  },
  {
    name: "lets a pending policy create its name, unless somebody else has created it",
    async run({ policies, createName }) {
      const pending = { state: "pending", protocols: ["nuget"] } as const;
      const good = publishPolicy({ ...pending, patterns: ["Acme.New"] });
      const late = publishPolicy({ ...pending, patterns: ["Acme.Taken"] });
      for (const policy of [good, late]) await policies.add(policy, by);
      await createName("nuget", "Acme.Taken");
      const nuget = { surface: "nuget", subject: "" } as const;
      assert.equal(await use(policies, good, nuget), "issued");
      assert.equal(await use(policies, late, nuget), "taken");
      assert.equal(await use(policies, late, nuget), "distrusted");
      const states = (await policies.list()).map(({ id, state }) => [id, state] as const);
      assert.deepEqual(
        new Map(states),
        new Map([
          [good.id, "active"],
          [late.id, "void"],
        ]),
      );
      await createName("nuget", "Acme.New");
      assert.equal(await use(policies, good, nuget), "issued");
      const existing = publishPolicy({ ...pending, patterns: ["Acme.New"] });
      await policies.add(existing, by);
      const stored = (await policies.list()).find(({ id }) => id === existing.id);
      assert.equal(stored?.state, "active");
    },
  },
  {
    name: "lets other policies publish only names that exist",
    async run({ policies, createName }) {
      const policy = publishPolicy({ mayCreate: false });
      await policies.add(policy, by);
      assert.equal(await use(policies, policy), "absent-name");
      await createName("npm", "@acme/demo");
      assert.equal(await use(policies, policy), "issued");
    },
  },
];
