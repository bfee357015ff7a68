import { openOutgoingFetch } from "@sealhouse/http-server";
import { openPolicyExchange } from "@sealhouse/identity";
import {
  createMemoryPolicies,
  openIdTokenIssuerStandIn,
  TEST_PEPPER,
} from "@sealhouse/identity/testing";
import { expect, test, vi } from "vitest";

test.each([
  [false, "refused"],
  [true, "distrusted"],
])(
  "an issuer in a private network with AllowPrivateAddresses=%s: %s",
  async (allowPrivateAddresses, status) => {
    await using issuer = await openIdTokenIssuerStandIn();
    const audiences = {
      nuget: new Set<string>(),
      npm: new Set(["npm:feed.test"]),
      oci: new Set<string>(),
    };
    const issuerSettings = new Map([[issuer.issuer, "Host__TrustedPublishing__Issuers__own__Url"]]);
    const warn = vi.fn<(fields: object, ...message: unknown[]) => void>();
    const exchange = openPolicyExchange({
      trust: { policyIssuers: [issuer.issuer], audiences, issuerSettings, keyFiles: new Map() },
      fetch: openOutgoingFetch({ allowPrivateAddresses, outgoingProxy: undefined }),
      policies: createMemoryPolicies(),
      now: () => new Date(),
      pepper: TEST_PEPPER,
      log: { warn },
    });
    const text = issuer.token("npm:feed.test");
    const outcome = await exchange.exchange({ text, protocol: "npm", name: "x", from: {} });
    expect(outcome.status).toBe(status);
    if (outcome.status === "refused") {
      expect(outcome.reason).toContain("private network");
      expect(issuer.paths).toEqual([]);
      const setting = "Host__TrustedPublishing__Issuers__own__Url";
      const reason = expect.stringContaining("private network") as string;
      const fields = { issuer: issuer.issuer, setting, reason };
      expect(warn.mock.calls).toEqual([[fields, expect.stringContaining("ID tokens")]]);
    }
  },
);
