import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { AuthenticatorOptions } from "./authenticator.ts";
import { openAuthenticator } from "./authenticator.ts";
import type { Credentials } from "./credentials.ts";
import type { TokenRecord } from "./ports.ts";
import {
  createMemorySignInFailures,
  createMemoryTokenStore,
  createTestToken,
  TEST_PEPPER,
  tokenRecord,
} from "./testing/index.ts";
import { hashToken } from "./token-hash.ts";

const address = "192.0.2.1";
const start = new Date("2026-01-01T00:00:00Z");
const by = { actor: "test" };
const bearing = (secret: string): Credentials => ({ type: "secret", secret, via: "bearer" });

function setUp(records: readonly TokenRecord[], options: Partial<AuthenticatorOptions> = {}) {
  const store = createMemoryTokenStore(records);
  const clock = { now: start };
  const lookUps = vi.spyOn(store, "findByPrefix");
  const authenticator = openAuthenticator({
    tokens: store,
    use: store,
    pepper: TEST_PEPPER,
    now: () => clock.now,
    ...options,
  });
  return { store, clock, lookUps, authenticator };
}

test("identifies the owner of a token with one lookup", async () => {
  const { token, record } = createTestToken({ name: "ci", scopes: ["read"], patterns: ["a*"] });
  const { authenticator, lookUps } = setUp([record]);
  expect(await authenticator.authenticate(bearing(token), address)).toEqual({
    status: "principal",
    principal: {
      tokenId: record.id,
      name: "ci",
      scopes: ["read"],
      protocols: [],
      patterns: ["a*"],
      networks: [],
    },
  });
  expect(lookUps).toHaveBeenCalledTimes(1);
});

test("a request without credentials does not count as a failure", async () => {
  const { authenticator } = setUp([]);
  for (let round = 0; round < 100; round += 1) {
    expect(await authenticator.authenticate({ type: "none" }, address)).toEqual({ status: "none" });
  }
});

test.each([
  ["unreadable credentials", { type: "unreadable" }],
  ["junk", bearing("AzureDevOps")],
  ["a mistyped token", bearing(`${createTestToken().token.slice(0, -1)}!`)],
] as const)("%s are invalid and never reach the database", async (_, credentials) => {
  const { authenticator, lookUps } = setUp([]);
  const authentication = await authenticator.authenticate(credentials, address);
  expect(authentication.status).toBe("invalid");
  expect(lookUps).not.toHaveBeenCalled();
});

test("an unknown token is invalid, even with the prefix of a stored one", async () => {
  const { token } = createTestToken();
  const { authenticator } = setUp([tokenRecord({ prefix: token.slice(0, 12) })]);
  const authentication = await authenticator.authenticate(bearing(token), address);
  expect(authentication).toEqual({
    status: "invalid",
    reason: expect.stringMatching(/Unknown token/) as string,
  });
});

test("distinguishes several tokens with the same prefix", async () => {
  const { token, record } = createTestToken();
  const { authenticator } = setUp([tokenRecord({ prefix: record.prefix }), record]);
  const authentication = await authenticator.authenticate(bearing(token), address);
  expect(authentication).toMatchObject({ principal: { tokenId: record.id } });
});

test("a revocation takes effect with the next request", async () => {
  const { token, record } = createTestToken();
  const { authenticator, store } = setUp([record]);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("principal");
  await store.revoke(record.id, start, by);
  expect(await authenticator.authenticate(bearing(token), address)).toEqual({
    status: "invalid",
    reason: "The token was revoked; create a new one.",
  });
});

test("a token expires at its time", async () => {
  const { token, record } = createTestToken({ expiresAt: new Date("2026-01-01T01:00:00Z") });
  const { authenticator, clock } = setUp([record]);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("principal");
  clock.now = new Date("2026-01-01T01:00:00Z");
  const authentication = await authenticator.authenticate(bearing(token), address);
  expect(authentication).toEqual({
    status: "invalid",
    reason: expect.stringMatching(/expired/) as string,
  });
});

const alice = { id: "user-1", handle: "alice", role: "publisher" } as const;

function importedToken(fields: Partial<TokenRecord> = {}) {
  const text = "00112233445566778899aabbccddeeff";
  const hash = createHash("sha256")
    .update(text + TEST_PEPPER)
    .digest("hex");
  return { text, record: tokenRecord({ prefix: text.slice(0, 8), hash, scheme: 0, ...fields }) };
}

test("an imported token works for its holder, and gets a hash of the newest scheme", async () => {
  const user = { ...alice, state: "active" } as const;
  const scopes = ["read", "admin"] as const;
  const { text, record } = importedToken({ userId: user.id, user, owner: "alice", scopes });
  const { authenticator, store } = setUp([record]);
  const first = await authenticator.authenticate(bearing(text), address);
  expect(first).toMatchObject({ principal: { name: "alice", user: { handle: "alice" } } });
  expect(first).not.toMatchObject({ principal: { scopes: expect.arrayContaining(["admin"]) } });
  await authenticator[Symbol.asyncDispose]();
  const rehashed = { hash: hashToken(text, TEST_PEPPER), scheme: 1, userId: "user-1" };
  expect(await store.findById(record.id)).toMatchObject(rehashed);
  const second = await authenticator.authenticate(bearing(text), address);
  expect(second).toEqual(first);
});

test.each([
  ["of a blocked user", { user: { ...alice, state: "blocked" as const } }, /blocked/],
  ["that was revoked", { revokedAt: new Date("2025-12-31T00:00:00Z") }, /revoked/],
])("an imported token %s keeps its hash and does not work", async (_what, fields, reason) => {
  const { text, record } = importedToken({ userId: "user-1", ...fields });
  const { authenticator, store } = setUp([record]);
  expect(await authenticator.authenticate(bearing(text), address)).toEqual({
    status: "invalid",
    reason: expect.stringMatching(reason) as string,
  });
  await authenticator[Symbol.asyncDispose]();
  expect(await store.findById(record.id)).toEqual(record);
});

const limits = { failuresMax: 3, windowMs: 60_000, addressesMax: 3 };

async function fail(
  authenticator: ReturnType<typeof openAuthenticator>,
  from: string,
  times: number,
) {
  const results = [];
  for (let round = 0; round < times; round += 1) {
    results.push(await authenticator.authenticate(bearing("junk"), from));
  }
  return results.map((result) => result.status);
}

test("an address must wait after too many failures and gets the time", async () => {
  const { authenticator, clock } = setUp([], { limits });
  expect(await fail(authenticator, address, 5)).toEqual([
    ...Array.from({ length: 3 }, () => "invalid"),
    ...Array.from({ length: 2 }, () => "limited"),
  ]);
  const limited = await authenticator.authenticate(bearing("junk"), address);
  expect(limited).toEqual({ status: "limited", retryAfterSeconds: 20 });
  clock.now = new Date(start.getTime() + 19_000);
  expect(await fail(authenticator, address, 1)).toEqual(["limited"]);
  clock.now = new Date(start.getTime() + 20_000);
  expect(await fail(authenticator, address, 2)).toEqual(["invalid", "limited"]);
});

test("the limit applies to an IPv6 network but not to other addresses", async () => {
  const { authenticator } = setUp([], { limits });
  await fail(authenticator, "2001:db8::1", 3);
  expect(await fail(authenticator, "2001:db8::2", 1)).toEqual(["limited"]);
  expect(await fail(authenticator, "2001:db8:1::1", 1)).toEqual(["invalid"]);
});

test("a limited address causes no database lookups for unknown tokens", async () => {
  const { authenticator, lookUps } = setUp([], { limits });
  await fail(authenticator, address, 3);
  await authenticator.authenticate(bearing(createTestToken().token), address);
  expect(lookUps).not.toHaveBeenCalled();
});

test("a recently valid token works from a limited address", async () => {
  const { token, record } = createTestToken();
  const { authenticator, store } = setUp([record], { limits });
  await authenticator.authenticate(bearing(token), address);
  await fail(authenticator, address, 3);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("principal");
  await store.revoke(record.id, start, by);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("invalid");
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("limited");
});

test("failures at all instances count together", async () => {
  const failures = createMemorySignInFailures();
  const { token, record } = createTestToken();
  const one = setUp([record], { limits, failures });
  const other = setUp([record], { limits, failures });
  expect(await fail(one.authenticator, address, 2)).toEqual(["invalid", "invalid"]);
  expect(await fail(other.authenticator, address, 2)).toEqual(["invalid", "limited"]);
  expect(await fail(one.authenticator, address, 1)).toEqual(["limited"]);
  const valid = await one.authenticator.authenticate(bearing(token), address);
  expect(valid).toEqual({ status: "limited", retryAfterSeconds: 20 });
  other.clock.now = new Date(start.getTime() + 20_000);
  expect((await other.authenticator.authenticate(bearing(token), address)).status).toBe(
    "principal",
  );
});

test("a limited address and a known token cause no lookups of shared failures", async () => {
  const failures = createMemorySignInFailures();
  const reads = vi.spyOn(failures, "emptyAt");
  const { token, record } = createTestToken();
  const { authenticator } = setUp([record], { limits, failures });
  for (let round = 0; round < 3; round += 1) {
    await authenticator.authenticate(bearing(token), address);
  }
  expect(reads).toHaveBeenCalledTimes(1);
  await fail(authenticator, address, 5);
  expect(reads).toHaveBeenCalledTimes(4);
});

test("limits the number of tracked addresses", async () => {
  const { authenticator } = setUp([], { limits });
  await fail(authenticator, "192.0.2.1", 3);
  await fail(authenticator, "192.0.2.2", 3);
  await fail(authenticator, "192.0.2.3", 3);
  await fail(authenticator, "192.0.2.4", 3);
  expect(await fail(authenticator, "192.0.2.1", 1)).toEqual(["invalid"]);
  expect(await fail(authenticator, "192.0.2.3", 1)).toEqual(["limited"]);
});

test("writes the last use once for many requests, and the rest at disposal", async () => {
  const { token, record } = createTestToken();
  const { authenticator, store, clock } = setUp([record], { flushMs: 10 });
  const used = vi.spyOn(store, "used");
  for (let round = 0; round < 50; round += 1) {
    await authenticator.authenticate(bearing(token), address);
  }
  expect(used).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(used).toHaveBeenCalledTimes(1));
  clock.now = new Date("2026-01-02T00:00:00Z");
  await authenticator.authenticate(bearing(token), "192.0.2.9");
  await authenticator[Symbol.asyncDispose]();
  const last = { lastUsedAt: clock.now, lastUsedFrom: "192.0.2.9" };
  expect(await store.findById(record.id)).toMatchObject(last);
});

test("retries a failed write of last use and reports the error", async () => {
  const { token, record } = createTestToken();
  const onError = vi.fn<(error: unknown) => void>();
  const { authenticator, store } = setUp([record], { flushMs: 5, onError });
  vi.spyOn(store, "used").mockRejectedValueOnce(new Error("database is away"));
  await authenticator.authenticate(bearing(token), address);
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  await vi.waitFor(async () => {
    expect(await store.findById(record.id)).toMatchObject({ lastUsedFrom: address });
  });
});

test("disposal succeeds without a use recorder and without uses", async () => {
  const store = createMemoryTokenStore();
  const plain = { tokens: store, pepper: TEST_PEPPER, now: () => start };
  await openAuthenticator(plain)[Symbol.asyncDispose]();
  const used = vi.spyOn(store, "used");
  await openAuthenticator({ ...plain, use: store })[Symbol.asyncDispose]();
  expect(used).not.toHaveBeenCalled();
});

test("reports the user of each valid token, and of no other", async () => {
  const onUserSeen = vi.fn();
  const user = { id: "u-1", handle: "ada", role: "consumer", state: "active" } as const;
  const active = createTestToken({ name: "active" });
  const blocked = createTestToken({ name: "blocked" });
  const { authenticator } = setUp(
    [
      { ...active.record, userId: user.id, user },
      { ...blocked.record, userId: "u-2", user: { ...user, id: "u-2", state: "blocked" } },
    ],
    { onUserSeen },
  );
  for (const { token } of [active, blocked]) {
    await authenticator.authenticate(bearing(token), address);
  }
  expect(onUserSeen.mock.calls).toEqual([["u-1"]]);
});
