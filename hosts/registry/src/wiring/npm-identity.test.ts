import { openIdTokenIssuerStandIn, TEST_PEPPER } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { createRequestContexts } from "@sealhouse/http-server";
import { npmTrust } from "./npm-identity.ts";

test.each([
  [false, "refused"],
  [true, "valid"],
])(
  "an issuer in a private network with AllowPrivateAddresses=%s: %s",
  async (allowPrivateAddresses, status) => {
    await using issuer = await openIdTokenIssuerStandIn();
    const audiences = new Set(["npm:feed.test"]);
    const trustedPublishing = { issuers: { github: issuer.issuer }, audiences };
    const trust = npmTrust({
      config: {
        feed: { npm: { trustedPublishing } },
        host: { allowPrivateAddresses, outgoingProxy: undefined },
      },
      database: {
        npm: {
          trustedPublishers: {
            list: async () => [],
            add: async () => ({ status: "crowded" }),
            revoke: async () => "absent",
            issue: async () => "distrusted",
          },
        },
      },
      rules: {
        contexts: createRequestContexts({ trustedProxies: [], publicBaseUrls: [] }),
        now: () => new Date(),
      },
      pepper: TEST_PEPPER,
    });
    const authorization = `Bearer ${issuer.token("npm:feed.test")}`;
    const request = new Request("https://evil.test/", { headers: { authorization } });
    const verdict = await trust.verify(request, undefined);
    expect(verdict.status).toBe(status);
    if (verdict.status === "refused") {
      expect(verdict.reason).toContain("private network");
      expect(issuer.paths).toEqual([]);
    }
  },
);
