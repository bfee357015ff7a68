import { expect, test } from "vitest";
import { grantAccess, opensCatalog, opensRepository } from "./access.ts";
import type { BearerOptions } from "./bearer-tokens.ts";
import { createBearerTokens, isBearerToken } from "./bearer-tokens.ts";
import { principalOf } from "./principal.ts";
import {
  createMemoryTokenStore,
  createTestRandom,
  createTestToken,
  TEST_PEPPER,
} from "./testing/index.ts";

const start = new Date("2026-01-01T00:00:00.750Z");
const closed = { anonymousPull: false, address: "192.0.2.1" };
const open = { anonymousPull: true, address: "192.0.2.1" };
const app = { type: "repository", name: "team/app", actions: ["pull", "push"] };
const invalid = (reason: RegExp) => ({
  status: "invalid",
  reason: expect.stringMatching(reason) as string,
});

function setUp(fields: Parameters<typeof createTestToken>[0] = {}) {
  const { token, record } = createTestToken(fields);
  const store = createMemoryTokenStore([record]);
  const clock = { now: start };
  const options: BearerOptions = {
    tokens: store,
    pepper: TEST_PEPPER,
    issuer: "sealhouse/default",
    service: "default",
    now: () => clock.now,
    random: createTestRandom(),
  };
  const principal = principalOf(record);
  return { token, record, principal, store, clock, options, bearer: createBearerTokens(options) };
}

const later = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

test("contains the granted access for ten minutes, and never the API token", async () => {
  const { bearer, principal, token } = setUp({ name: "ci" });
  const issued = bearer.issue(principal, [app]);
  expect(issued).toMatchObject({
    expiresInSeconds: 600,
    issuedAt: new Date("2026-01-01T00:00:00Z"),
  });
  const claims = JSON.parse(Buffer.from(issued.token.split(".")[1] ?? "", "base64url").toString());
  expect(claims).toEqual({
    iss: "sealhouse/default",
    aud: "default",
    sub: "ci",
    iat: 1767225600,
    nbf: 1767225600,
    exp: 1767226200,
    jti: expect.any(String),
    tid: principal.tokenId,
    access: [app],
  });
  expect(issued.token).not.toContain(token);
  expect(isBearerToken(issued.token)).toBe(true);
  expect(isBearerToken(token)).toBe(false);
  const verified = await bearer.verify(issued.token, closed);
  expect(verified).toEqual({ status: "valid", access: [app], principal });
});

test("an instance with the same pepper accepts the token", async () => {
  const { bearer, principal, options } = setUp();
  const { token } = bearer.issue(principal, [app]);
  const second = createBearerTokens({ ...options, random: createTestRandom(7) });
  expect((await second.verify(token, closed)).status).toBe("valid");
  const stranger = createBearerTokens({ ...options, pepper: `${TEST_PEPPER}2` });
  expect(await stranger.verify(token, closed)).toEqual(invalid(/did not issue/));
});

test.each([["service"], ["issuer"]] as const)("requires its %s", async (claim) => {
  const { bearer, principal, options } = setUp();
  const { token } = bearer.issue(principal, [app]);
  const other = createBearerTokens({ ...options, [claim]: "other" });
  expect(await other.verify(token, closed)).toEqual(invalid(/did not issue/));
});

test.each([
  [660, "valid"],
  [661, "invalid"],
  [-60, "valid"],
  [-61, "invalid"],
])("%i seconds after it was made it is %s", async (seconds, status) => {
  const { bearer, principal, clock } = setUp();
  const { token } = bearer.issue(principal, [app]);
  clock.now = later(seconds - 0.75);
  expect((await bearer.verify(token, closed)).status).toBe(status);
});

test.each(["not.a.token", "", "a.b", "a.b.c.d", "x".repeat(20_000)])(
  "%.20j is not a bearer token",
  async (text) => {
    const { bearer } = setUp();
    expect(await bearer.verify(text, closed)).toEqual(invalid(/did not issue/));
  },
);

test("rejects a changed payload, a cut signature and another algorithm", async () => {
  const { bearer, principal } = setUp();
  const [header = "", payload = "", signature = ""] = bearer
    .issue(principal, [app])
    .token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forged = encode({ ...claims, access: [{ ...app, name: "other" }] });
  const unsigned = encode({ alg: "none", typ: "JWT" });
  for (const text of [
    `${header}.${forged}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -2)}`,
    `${header}.${payload}.`,
    `${unsigned}.${payload}.`,
    `${unsigned}.${payload}.${signature}`,
  ]) {
    expect(await bearer.verify(text, closed)).toEqual(invalid(/did not issue/));
  }
});

test("is invalid after its API token is revoked", async () => {
  const { bearer, principal, store, record } = setUp();
  const { token } = bearer.issue(principal, [app]);
  await store.revoke(record.id, start, { actor: "test" });
  expect(await bearer.verify(token, closed)).toEqual(invalid(/no longer valid/));
});

test("expires with its API token", async () => {
  const { bearer, principal, clock } = setUp({ expiresAt: later(120) });
  const { token } = bearer.issue(principal, [app]);
  clock.now = later(120);
  expect(await bearer.verify(token, closed)).toEqual(invalid(/no longer valid/));
});

test("an anonymous token works only while reading is public", async () => {
  const { bearer } = setUp();
  const { token } = bearer.issue(undefined, grantAccess(undefined, [app], { ...open, now: start }));
  const pulls = [{ ...app, actions: ["pull"] }];
  const verified = await bearer.verify(token, open);
  expect(verified).toEqual({ status: "valid", access: pulls, principal: undefined });
  expect(await bearer.verify(token, closed)).toMatchObject({ status: "valid", access: [] });
});

test("grants nothing from a network that its API token excludes", async () => {
  const { bearer, principal } = setUp({ networks: ["10.0.0.0/8"] });
  const { token } = bearer.issue(principal, [app]);
  const inside = await bearer.verify(token, { ...closed, address: "10.1.1.1" });
  expect(inside).toMatchObject({ access: [app] });
  expect(await bearer.verify(token, closed)).toMatchObject({ status: "valid", access: [] });
});

test.each([59, 0, -1, 3_601, Number.NaN])("refuses a lifetime of %d seconds", (lifetimeSeconds) => {
  const { options } = setUp();
  expect(() => createBearerTokens({ ...options, lifetimeSeconds })).toThrow(/60 to 3600 seconds/);
});

const context = { ...closed, now: start };
const catalog = { type: "registry", name: "catalog", actions: ["*"] };
const asks = (...actions: string[]) => [{ type: "repository", name: "team/app", actions }];

test.each([
  ["read only", { scopes: ["read"] }, asks("pull", "push"), asks("pull")],
  ["write implies pull", { scopes: ["write"] }, asks("pull", "push"), asks("pull", "push")],
  ["everything asked", { scopes: ["read", "write"] }, asks("*"), asks("pull", "push")],
  ["delete", { scopes: ["delete"] }, asks("pull", "delete"), asks("delete")],
  ["unknown actions", { scopes: ["admin"] }, asks("pull", "sign"), asks("pull")],
  ["another protocol", { protocols: ["npm"] }, asks("pull"), []],
  ["a name outside", { patterns: ["other/**"] }, asks("pull"), []],
  ["a name inside", { patterns: ["team/**"] }, asks("pull"), asks("pull")],
  ["merged entries", {}, [...asks("pull"), ...asks("push")], asks("pull", "push")],
  ["the catalog", { scopes: ["read"] }, [catalog], [catalog]],
  ["the catalog without reading", { scopes: ["delete"] }, [catalog], []],
  ["other types", {}, [{ type: "repository(plugin)", name: "a", actions: ["pull"] }], []],
  ["a name that is too long", {}, [{ ...app, name: "a".repeat(256) }], []],
] as const)("grants the intersection: %s", (_, fields, entries, granted) => {
  const { principal } = setUp(fields);
  expect(grantAccess(principal, entries, context)).toEqual(granted);
});

test("grants anonymous callers nothing while reading is not public", () => {
  expect(grantAccess(undefined, [app, catalog], context)).toEqual([]);
});

test("limits the number of granted entries", () => {
  const { principal } = setUp();
  const entries = Array.from({ length: 100 }, (_, index) => ({ ...app, name: `a${index}` }));
  expect(grantAccess(principal, entries, context)).toHaveLength(32);
});

test("an access list grants only its repositories and actions", () => {
  expect(opensRepository([app], "team/app", "push")).toBe(true);
  expect(opensRepository([app], "team/app", "delete")).toBe(false);
  expect(opensRepository([app], "team/other", "pull")).toBe(false);
  expect(opensRepository([catalog], "catalog", "pull")).toBe(false);
  expect(opensCatalog([catalog])).toBe(true);
  expect(opensCatalog([app])).toBe(false);
});
