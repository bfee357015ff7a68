import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createIdTokenVerification } from "../id-tokens/verify-id-token.ts";
import type { TokenRecord } from "../ports.ts";
import { openIdTokenIssuerStandIn } from "../testing/id-token-issuer-stand-in.ts";
import type { IdTokenIssuerStandIn, IdTokenWish } from "../testing/id-token-issuer-stand-in.ts";
import { createMemoryPolicies } from "../testing/memory-policies.ts";
import { publishPolicy } from "../testing/policies-contract.ts";
import { createTestRandom, TEST_PEPPER } from "../testing/test-tokens.ts";
import { surfaceAudiences } from "./audiences.ts";
import { createPolicyExchange } from "./exchange.ts";
import type { ExchangeRequest } from "./exchange.ts";
import type { PublishPolicy } from "./policy.ts";

const HOSTS = { nuget: ["feed.test"], npm: ["feed.test"], oci: ["feed.test"] };
const WEB = "https://feed.test";
const SILENT = "https://silent.test";
const ORG = "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10";
const run = {
  repository: "acme/demo",
  repository_id: "7",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};

type ReadKeys = (issuer: string) => Promise<string | undefined>;

describe("the exchange", () => {
  let issuer: IdTokenIssuerStandIn;

  beforeAll(async () => {
    issuer = await openIdTokenIssuerStandIn();
    issuer.serve(run);
  });
  afterAll(() => issuer[Symbol.asyncDispose]());

  async function opened(
    wishes: readonly Partial<PublishPolicy>[],
    options: { readonly hosts?: typeof HOSTS; readonly readKeys?: ReadKeys } = {},
  ) {
    const { hosts = HOSTS, readKeys } = options;
    const tokens = new Map<string, TokenRecord>();
    const policies = createMemoryPolicies({ tokens });
    for (const wish of wishes) {
      const policy = publishPolicy({ issuer: issuer.issuer, ...wish });
      await policies.add(policy, { actor: "operator" });
    }
    const issuers = [issuer.issuer, ...wishes.flatMap((wish) => wish.issuer ?? [])];
    // The time never changes, so that no failure ages.
    const time = new Date();
    const now = () => time;
    const exchange = createPolicyExchange({
      policies,
      verify: createIdTokenVerification({ issuers, fetch, now, ...(readKeys && { readKeys }) }),
      issuers,
      audiences: surfaceAudiences(hosts, { npm: [], others: [] }),
      noAudienceReason: "Set Feed__PublicBaseUrl.",
      pepper: TEST_PEPPER,
      random: createTestRandom(),
      now,
    });
    const ask = (request: Pick<ExchangeRequest, "text" | "protocol"> & Partial<ExchangeRequest>) =>
      exchange.exchange({ from: {}, ...request });
    return { ask, exchange, tokens, policies };
  }

  const nuget = { protocols: ["nuget"], patterns: ["Acme.*"] } as const;

  test("gives a token for one npm package, and for all names of a policy of NuGet", async () => {
    const { ask, tokens } = await opened([{}, nuget]);
    const text = issuer.token("npm:Feed.Test:8080");
    const npm = await ask({ text, protocol: "npm", name: "@acme/demo" });
    expect(npm).toMatchObject({ status: "issued" });
    const packages = await ask({ text: issuer.token(`${WEB}/`), protocol: "nuget" });
    expect(packages).toMatchObject({ status: "issued" });
    const [first, second] = [...tokens.values()];
    expect(first).toMatchObject({
      name: "publish @acme/demo",
      owner: `GitHub Actions acme/demo (oidc:${first?.policyId})`,
      scopes: ["publish"],
      protocols: ["npm"],
      patterns: ["@acme/demo"],
    });
    expect(first?.id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(second).toMatchObject({ protocols: ["nuget"], patterns: ["Acme.*"] });
    const lifeMs = Number(second?.expiresAt) - Number(second?.createdAt);
    expect(lifeMs).toBe(15 * 60_000);
  });

  test("replaces the token of the same ID token and name", async () => {
    const { ask, tokens } = await opened([{ patterns: ["@acme/*"] }]);
    const text = issuer.token("npm:feed.test");
    for (const name of ["@acme/demo", "@acme/demo", "@acme/other"]) {
      expect(await ask({ text, protocol: "npm", name })).toMatchObject({ status: "issued" });
    }
    expect(tokens.size).toBe(2);
  });

  test("finds the same token for images, and refuses the ID token elsewhere", async () => {
    const images = { protocols: ["oci"], patterns: ["team/**"], scopes: ["write"] } as const;
    const { ask, exchange, tokens } = await opened([images, nuget]);
    const text = issuer.token(WEB);
    const identify = () => exchange.identify({ text, protocol: "oci", from: {} });
    const id = await identify();
    expect(await identify()).toBe(id);
    expect([...tokens.keys()]).toEqual([id]);
    expect(await ask({ text, protocol: "nuget" })).toMatchObject({
      status: "distrusted",
      reason: expect.stringContaining("another protocol") as string,
    });
  });

  test.each([
    ["another registry", "https://www.nuget.org", "not this registry"],
    ["another protocol", "npm:feed.test", "not this registry"],
    [
      "the fixed audience without a policy for it",
      "api://AzureADTokenExchange",
      "not this registry",
    ],
  ])("refuses an ID token for %s", async (_what, audience, words) => {
    const { ask } = await opened([nuget]);
    const outcome = await ask({ text: issuer.token(audience), protocol: "nuget" });
    expect(outcome).toEqual({
      status: "refused",
      reason: expect.stringContaining(words) as string,
    });
  });

  test("a policy of one issuer accepts no ID tokens of another trusted issuer", async () => {
    await using other = await openIdTokenIssuerStandIn();
    other.serve(run);
    const stranger = {
      id: ORG,
      issuer: other.issuer,
      protocols: ["oci"],
      patterns: ["x"],
    } as const;
    const { ask } = await opened([nuget, stranger]);
    expect((await ask({ text: other.token(WEB), protocol: "nuget" })).status).toBe("distrusted");
    expect((await ask({ text: issuer.token(WEB), protocol: "nuget" })).status).toBe("issued");
  });

  test("refuses an ID token that is for this registry and for another one", async () => {
    const { ask } = await opened([nuget]);
    const claims = { aud: [WEB, "sts.amazonaws.com"] };
    const outcome = await ask({ text: issuer.token("", { claims }), protocol: "nuget" });
    expect(outcome.status).toBe("refused");
  });

  test("accepts a fixed audience only for the policy that names it", async () => {
    const azure = {
      ...nuget,
      provider: "azure-devops",
      claims: { org_id: ORG, prj_id: ORG, def_id: "1" },
      fixedAudience: "api://AzureADTokenExchange",
    } as const;
    const claims = { org_id: ORG, prj_id: ORG, def_id: "1", aud: azure.fixedAudience };
    const ask = async (wishes: readonly Partial<PublishPolicy>[]) => {
      const text = issuer.token("", { claims });
      return (await (await opened(wishes)).ask({ text, protocol: "nuget" })).status;
    };
    expect(await ask([azure])).toBe("issued");
    const { fixedAudience: _, ...free } = azure;
    expect(await ask([free])).toBe("refused");
    const other = { ...azure, claims: { ...azure.claims, def_id: "2" } };
    expect(await ask([free, other])).toBe("distrusted");
  });

  test("gives one answer for an unknown user, no policy and another policy", async () => {
    const strangers = { ...nuget, claims: { ...publishPolicy().claims, repository: "a/b" } };
    const owned = { ...nuget, owner: "alice", ownerId: ORG };
    const answers = [];
    for (const wishes of [[owned], [], [strangers]]) {
      const { ask } = await opened(wishes);
      const text = issuer.token(WEB, { claims: { jti: "the same" } });
      const { claims: _, ...rest } = {
        claims: {},
        ...(await ask({ text, protocol: "nuget", username: "bob" })),
      };
      answers.push(rest);
    }
    expect(answers).toEqual(answers.map(() => ({ status: "distrusted" })));
    const { ask } = await opened([owned]);
    const text = issuer.token(WEB);
    expect((await ask({ text, protocol: "nuget", username: "Alice" })).status).toBe("issued");
  });

  test.each([
    ["void", { state: "void" }, "Another user"],
    ["of a blocked user", { isMakerGone: true }, "no longer active"],
    ["that nobody used in time", { pinEndsAt: new Date(0) }, "not used in time"],
  ] as const)(
    "gives nothing for a policy %s, and names the reason to its jobs",
    async (_what, wish, words) => {
      const { ask } = await opened([{ ...nuget, ...wish }]);
      const outcome = await ask({ text: issuer.token(WEB), protocol: "nuget" });
      expect(outcome).toMatchObject({
        status: "distrusted",
        reason: expect.stringContaining(words) as string,
      });
    },
  );

  test("limits invalid ID tokens of a network, but not those without a policy", async () => {
    const { ask } = await opened([{ ...nuget, patterns: ["Acme.*"] }]);
    const stranger = { claims: { repository_id: "8", repository: "a/b" } };
    const statusOf = async (text: string, address: string) =>
      (await ask({ text, protocol: "nuget", from: { address } })).status;
    for (let count = 0; count < 30; count += 1) {
      expect(await statusOf(issuer.token(WEB, stranger), "192.0.2.1")).toBe("distrusted");
      expect(await statusOf("no.id.token", "192.0.2.1")).toBe("refused");
    }
    expect(await statusOf("no.id.token", "192.0.2.1")).toBe("limited");
    expect(await statusOf("no.id.token", "192.0.2.2")).toBe("refused");
    expect(await statusOf(issuer.token(WEB), "192.0.2.1")).toBe("issued");
  });

  test.each<{ wish: IdTokenWish; next: string; valid: string }>([
    { wish: { withStrangeKey: true }, next: "limited", valid: "limited" },
    { wish: { claims: { aud: "https://elsewhere.test" } }, next: "limited", valid: "limited" },
    { wish: { claims: { exp: 1 } }, next: "limited", valid: "limited" },
    { wish: { claims: { iss: "https://stranger.test" } }, next: "limited", valid: "issued" },
    { wish: { claims: { iss: SILENT } }, next: "refused", valid: "issued" },
  ])(
    "after thirty ID tokens with $wish, one more is $next, and a valid one $valid",
    async (one) => {
      const readKeys: ReadKeys = async (iss) => {
        if (iss === SILENT) throw new Error("no route");
        return undefined;
      };
      const { ask } = await opened([nuget, { issuer: SILENT }], { readKeys });
      const send = async (text: string) =>
        (await ask({ text, protocol: "nuget", from: { address: "192.0.2.1" } })).status;
      const text = issuer.token(WEB, one.wish);
      for (let count = 0; count < 30; count += 1) expect(await send(text)).toBe("refused");
      expect([await send(text), await send(issuer.token(WEB))]).toEqual([one.next, one.valid]);
    },
  );

  test("does not limit requests without an address together", async () => {
    const { ask } = await opened([nuget]);
    const text = issuer.token(WEB, { withStrangeKey: true });
    for (let count = 0; count < 31; count += 1) {
      expect((await ask({ text, protocol: "nuget" })).status).toBe("refused");
    }
    expect((await ask({ text: issuer.token(WEB), protocol: "nuget" })).status).toBe("issued");
  });

  test("refuses everything while the registry does not know its host", async () => {
    const { ask } = await opened([nuget], { hosts: { nuget: [], npm: [], oci: [] } });
    const outcome = await ask({ text: issuer.token("https://evil.test"), protocol: "nuget" });
    expect(outcome).toEqual({
      status: "refused",
      reason: "Set Feed__PublicBaseUrl.",
      isUnjudged: true,
    });
  });

  test("verifies ID tokens of a closed cluster with keys from a file", async () => {
    const iss = "https://kubernetes.default.svc";
    const keys = await (await fetch(`${issuer.issuer}/keys`)).text();
    const cluster = {
      ...nuget,
      provider: "kubernetes",
      issuer: iss,
      claims: { sub: "system:serviceaccount:ci:publisher" },
    } as const;
    const { ask } = await opened([cluster], { readKeys: async () => keys });
    const claims = { iss, sub: cluster.claims.sub };
    const text = issuer.token(WEB, { claims });
    expect((await ask({ text, protocol: "nuget" })).status).toBe("issued");
    const strange = issuer.token(WEB, { claims, withStrangeKey: true });
    expect((await ask({ text: strange, protocol: "nuget" })).status).toBe("refused");
  });
});
