import { createIdTokenVerification, createPolicyExchange, PROTOCOLS } from "@sealhouse/identity";
import { openIdTokenIssuerStandIn, publishPolicy, TEST_PEPPER } from "@sealhouse/identity/testing";
import type { IdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { assert, asyncProperty, boolean, constantFrom, jsonValue, oneof, string } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openTestDatabase } from "../testing/index.ts";

const CLAIMS =
  "iss aud sub jti uti exp iat nbf repository repository_id repository_owner_id workflow_ref " +
  "job_workflow_ref environment ref event_name oidc.circleci.com/org-id kubernetes.io";
const RUN = {
  repository: "acme/demo",
  repository_id: "7",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};
const AUDIENCE = "https://feed.test";
const AUDIENCES = new Set([AUDIENCE]);
const from = { address: "192.0.2.1" };

let issuer: IdTokenIssuerStandIn;
let database: Database;
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  issuer = cleanUp.use(await openIdTokenIssuerStandIn());
  issuer.serve(RUN);
  database = cleanUp.use(await openTestDatabase({ type: "Sqlite" }));
  await database.policies.add(
    publishPolicy({ issuer: issuer.issuer, protocols: [...PROTOCOLS], patterns: ["**"] }),
    { actor: "operator" },
  );
});
afterAll(() => cleanUp.disposeAsync());

function openExchange() {
  const issuers = [issuer.issuer];
  const now = () => new Date();
  return createPolicyExchange({
    policies: database.policies,
    verify: createIdTokenVerification({ issuers, fetch, now }),
    issuers,
    audiences: { nuget: AUDIENCES, npm: AUDIENCES, oci: AUDIENCES },
    noAudienceReason: "no audience",
    pepper: TEST_PEPPER,
    random: (size) => crypto.getRandomValues(new Uint8Array(size)),
    now,
  });
}

/** An ID token with one claim of any type, signed by the issuer or not signed. */
function idToken(claims: Readonly<Record<string, unknown>>, isSigned: boolean): string {
  if (isSigned) return issuer.token(AUDIENCE, { claims });
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const payload = { iss: issuer.issuer, aud: AUDIENCE, ...claims };
  return `${encoded({ alg: "none" })}.${encoded(payload)}.`;
}

const value = oneof(
  jsonValue({ maxDepth: 2 }),
  string({ unit: "binary" }),
  constantFrom("\0", "x".repeat(4_000), {}, [], [[]], [5], [AUDIENCE, 5], 0, -1, 1e300, true, null),
);

test("no value of a claim is an error, and tokens that are not signed get nothing", async () => {
  const exchange = openExchange();
  const statuses = new Set<string>();
  await assert(
    asyncProperty(
      constantFrom(...CLAIMS.split(" ")),
      value,
      boolean(),
      async (claim, any, isSigned) => {
        const text = idToken({ [claim]: any }, isSigned);
        for (const protocol of ["npm", "nuget"] as const) {
          const outcome = await exchange.exchange({ text, protocol, name: "acme", from: {} });
          statuses.add(outcome.status);
          if (!isSigned) expect(outcome.status).toBe("refused");
          const reason = "reason" in outcome ? outcome.reason : undefined;
          expect(reason ?? "").not.toMatch(/is not a function|undefined|\[object/);
        }
        const id = await exchange.identify({ text, protocol: "oci", from: {} });
        if (!isSigned) expect(id).toBeUndefined();
      },
    ),
    { numRuns: 200 },
  );
  expect(statuses).toContain("refused");
});

test.each([
  ["a number as issuer", { iss: 5 }],
  ["a list as issuer", { iss: [] }],
  ["a list of issuers", { iss: ["a", "b"] }],
  ["no issuer", { iss: null }],
  ["a text that no database stores", { iss: "\0" }],
])("an unsigned ID token with %s is refused and counts", async (_, claims) => {
  const exchange = openExchange();
  const text = idToken(claims, false);
  const statuses = [];
  for (let count = 0; count < 31; count++) {
    const outcome = await exchange.exchange({ text, protocol: "npm", name: "x", from });
    statuses.push(outcome.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 30 }, () => "refused"), "limited"]);
});

test.each([
  ["sub", {}, /claim sub .* not a text/],
  ["jti", 5, /claim jti .* not a text/],
  ["uti", [], /claim uti .* not a text/],
  ["aud", 5, /audience .* not a text/],
  ["aud", [AUDIENCE, 5], /audience .* not a text/],
  ["aud", {}, /audience .* not a text/],
  ["exp", "5", /exp.* must be a number/],
  ["iat", [], /iat.* must be a number/],
])("a signed ID token with the claim %s %j is refused with the reason", async (...one) => {
  const [claim, wrong, reason] = one;
  const text = issuer.token(AUDIENCE, { claims: { [claim]: wrong } });
  const outcome = await openExchange().exchange({ text, protocol: "nuget", from });
  expect(outcome).toEqual({
    status: "refused",
    reason: expect.stringMatching(reason) as string,
  });
});

test("a failure of the database counts, too", async () => {
  const exchange = createPolicyExchange({
    policies: {
      matching: () => Promise.reject(new Error("the database is away")),
      use: () => Promise.reject(new Error("the database is away")),
    },
    verify: createIdTokenVerification({ issuers: [issuer.issuer], fetch, now: () => new Date() }),
    issuers: [issuer.issuer],
    audiences: { nuget: AUDIENCES, npm: AUDIENCES, oci: AUDIENCES },
    noAudienceReason: "no audience",
    pepper: TEST_PEPPER,
    random: (size) => new Uint8Array(size),
    now: () => new Date(0),
  });
  const ask = () => exchange.exchange({ text: issuer.token(AUDIENCE), protocol: "npm", from });
  for (let count = 0; count < 30; count++) await expect(ask()).rejects.toThrow("is away");
  expect((await ask()).status).toBe("limited");
});
