import {
  createMemoryTokenStore,
  openIdTokenIssuerStandIn,
  TEST_PEPPER,
} from "@sealhouse/identity/testing";
import type { TrustedPublisher } from "@sealhouse/npm-protocol";
import { expect, test } from "vitest";
import { createRequestContexts } from "../http/request-context.ts";
import { npmTrust } from "./npm-trusted-publishing.ts";

const publisher: TrustedPublisher = {
  id: "0b1e7f62-44a2-4c3e-9a54-0d5e0c6f7a10",
  provider: "github",
  issuer: "https://token.actions.test",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
  permissions: ["createPackage", "createStagedPackage"],
  createdAt: new Date("2026-01-01T00:00:00Z"),
  createdBy: "alice",
};

function opened(
  issuer: string,
  {
    allowPrivateAddresses = true,
    audiences = ["npm:feed.test"],
  }: { readonly allowPrivateAddresses?: boolean; readonly audiences?: readonly string[] } = {},
) {
  const tokens = createMemoryTokenStore();
  const ids: string[] = [];
  const contexts = createRequestContexts({ trustedProxies: [], publicBaseUrls: [] });
  const trustedPublishing = { issuers: { github: issuer }, audiences: new Set(audiences) };
  const trust = npmTrust({
    config: { feed: { npm: { trustedPublishing } }, host: { allowPrivateAddresses } },
    database: {
      npm: {
        trustedPublishers: {
          list: async () => [publisher],
          add: async () => ({ status: "crowded" }),
          revoke: async () => "absent",
          async issue(_use, token, by) {
            ids.push(token.id);
            if (ids.indexOf(token.id) === ids.length - 1) await tokens.insert(token, by);
            return "issued";
          },
        },
      },
    },
    rules: { contexts, now: () => new Date() },
    pepper: TEST_PEPPER,
  });
  const verify = (authorization: string) =>
    trust.verify(new Request("https://evil.test/", { headers: { authorization } }), undefined);
  return { trust, tokens, ids, verify };
}

test("takes what is meant for a configured host, whatever host the request names", async () => {
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

test("takes nothing while nobody has said where the registry stands", async () => {
  await using issuer = await openIdTokenIssuerStandIn();
  const { verify } = opened(issuer.issuer, { audiences: [] });
  expect(await verify(`Bearer ${issuer.token("npm:evil.test")}`)).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("Feed__PublicBaseUrl") as string,
  });
  expect(issuer.asked).toEqual([]);
});

test("asks no issuer in a private network unless the operator allows that", async () => {
  await using issuer = await openIdTokenIssuerStandIn();
  const { verify } = opened(issuer.issuer, { allowPrivateAddresses: false });
  expect(await verify(`Bearer ${issuer.token("npm:feed.test")}`)).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("private network") as string,
  });
  expect(issuer.asked).toEqual([]);
});

test("gives tokens of one id for an ID token and a package, for that package alone", async () => {
  const { trust, tokens, ids } = opened(publisher.issuer);
  const idToken = { issuer: publisher.issuer, claims: {}, fingerprint: "f" };
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
