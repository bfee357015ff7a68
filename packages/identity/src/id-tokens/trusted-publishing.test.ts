import { expect, test } from "vitest";
import {
  createMemoryTokenStore,
  createTestOrigins,
  createTestRandom,
  openIdTokenIssuerStandIn,
  TEST_PEPPER,
} from "../testing/index.ts";
import { createTrustedPublishing } from "./trusted-publishing.ts";

const publisher = { id: "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10" };

function opened(
  issuer: string,
  { audiences = ["npm:feed.test"] }: { readonly audiences?: readonly string[] } = {},
) {
  const tokens = createMemoryTokenStore();
  const ids: string[] = [];
  const trust = createTrustedPublishing<typeof publisher>({
    protocol: "npm",
    issuers: [issuer],
    audiences: new Set(audiences),
    noAudienceReason: "Set Feed__PublicBaseUrl.",
    fetch,
    store: {
      async issue(_use, token, by) {
        ids.push(token.id);
        if (ids.indexOf(token.id) === ids.length - 1) await tokens.insert(token, by);
        return "issued";
      },
    },
    contexts: createTestOrigins(),
    now: () => new Date(),
    pepper: TEST_PEPPER,
    random: createTestRandom(),
    grantOf: ({ id }) => ({
      actor: `GitHub Actions acme/demo (oidc:${id})`,
      scopes: ["publish", "stage"],
    }),
  });
  const verify = (authorization: string) =>
    trust.verify(new Request("https://evil.test/", { headers: { authorization } }), undefined);
  return { trust, tokens, ids, verify };
}

test("verify accepts the configured audiences, not the host that a request names", async () => {
  await using issuer = await openIdTokenIssuerStandIn();
  const { verify } = opened(issuer.issuer);
  const status = async (audience: string) =>
    (await verify(`Bearer ${issuer.token(audience)}`)).status;
  expect(await status("npm:feed.test")).toBe("valid");
  expect(await status("npm:Feed.Test:8080")).toBe("valid");
  expect(await status("npm:evil.test")).toBe("refused");
  expect(await status("feed.test")).toBe("refused");
  expect((await verify("Basic abc")).status).toBe("refused");
});

test("verify refuses every ID token while no audience is configured", async () => {
  await using issuer = await openIdTokenIssuerStandIn();
  const { verify } = opened(issuer.issuer, { audiences: [] });
  expect(await verify(`Bearer ${issuer.token("npm:evil.test")}`)).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("Feed__PublicBaseUrl") as string,
  });
  expect(issuer.paths).toEqual([]);
});

test("issue creates one token id per ID token and package, limited to the package", async () => {
  const { trust, tokens, ids } = opened("https://token.actions.test");
  const idToken = { issuer: "https://token.actions.test", claims: {}, fingerprint: "f" };
  const issue = (name: string) => trust.issue({ name, publisher, idToken, from: {} });
  expect(await issue("@acme/demo")).toMatchObject({ status: "issued" });
  expect(await issue("@acme/demo")).toMatchObject({ status: "issued" });
  expect(await issue("@acme/other")).toMatchObject({ status: "issued" });
  expect([ids[0] === ids[1], ids[0] === ids[2]]).toEqual([true, false]);
  const [made] = await tokens.list();
  expect(made).toMatchObject({
    name: "publish @acme/demo",
    scopes: ["publish", "stage"],
    protocols: ["npm"],
    patterns: ["@acme/demo"],
  });
  expect(made?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
