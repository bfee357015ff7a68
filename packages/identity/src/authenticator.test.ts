import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { AuthenticatorOptions } from "./authenticator.ts";
import { openAuthenticator } from "./authenticator.ts";
import type { Credentials } from "./credentials.ts";
import type { TokenRecord } from "./ports.ts";
import {
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

test("knows who holds a token, with one look-up", async () => {
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

test("no credentials are no failure", async () => {
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
  const found = await authenticator.authenticate(credentials, address);
  expect(found.status).toBe("invalid");
  expect(lookUps).not.toHaveBeenCalled();
});

test("a token that was never stored is invalid, also beside one with the same prefix", async () => {
  const { token } = createTestToken();
  const { authenticator } = setUp([tokenRecord({ prefix: token.slice(0, 12) })]);
  const found = await authenticator.authenticate(bearing(token), address);
  expect(found).toEqual({
    status: "invalid",
    reason: expect.stringMatching(/not known/) as string,
  });
});

test("finds the right one of several tokens with one prefix", async () => {
  const { token, record } = createTestToken();
  const { authenticator } = setUp([tokenRecord({ prefix: record.prefix }), record]);
  const found = await authenticator.authenticate(bearing(token), address);
  expect(found).toMatchObject({ principal: { tokenId: record.id } });
});

test("a revocation counts from the next request", async () => {
  const { token, record } = createTestToken();
  const { authenticator, store } = setUp([record]);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("principal");
  await store.revoke(record.id, start, by);
  expect(await authenticator.authenticate(bearing(token), address)).toEqual({
    status: "invalid",
    reason: "This token has been revoked; make a new one.",
  });
});

test("a token ends at its time", async () => {
  const { token, record } = createTestToken({ expiresAt: new Date("2026-01-01T01:00:00Z") });
  const { authenticator, clock } = setUp([record]);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("principal");
  clock.now = new Date("2026-01-01T01:00:00Z");
  const found = await authenticator.authenticate(bearing(token), address);
  expect(found).toEqual({ status: "invalid", reason: expect.stringMatching(/expired/) as string });
});

test("an imported token works, and its hash is brought to the newest scheme", async () => {
  const text = "00112233445566778899aabbccddeeff";
  const hash = createHash("sha256")
    .update(text + TEST_PEPPER)
    .digest("hex");
  const record = tokenRecord({ prefix: text.slice(0, 8), hash, scheme: 0 });
  const { authenticator, store } = setUp([record]);
  expect((await authenticator.authenticate(bearing(text), address)).status).toBe("principal");
  await authenticator[Symbol.asyncDispose]();
  const rehashed = { hash: hashToken(text, TEST_PEPPER), scheme: 1 };
  expect(await store.findById(record.id)).toMatchObject(rehashed);
  expect((await authenticator.authenticate(bearing(text), address)).status).toBe("principal");
});

const limits = { failuresMax: 3, windowMs: 60_000, addressesMax: 2 };

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

test("after some failures an address has to wait, and is told how long", async () => {
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

test("other addresses do not wait, but the neighbours in one IPv6 network do", async () => {
  const { authenticator } = setUp([], { limits });
  await fail(authenticator, "2001:db8::1", 3);
  expect(await fail(authenticator, "2001:db8::2", 1)).toEqual(["limited"]);
  expect(await fail(authenticator, "2001:db8:1::1", 1)).toEqual(["invalid"]);
});

test("guesses do not reach the database while their address waits", async () => {
  const { authenticator, lookUps } = setUp([], { limits });
  await fail(authenticator, address, 3);
  await authenticator.authenticate(bearing(createTestToken().token), address);
  expect(lookUps).not.toHaveBeenCalled();
});

test("a token that worked before still works while a neighbour is made to wait", async () => {
  const { token, record } = createTestToken();
  const { authenticator, store } = setUp([record], { limits });
  await authenticator.authenticate(bearing(token), address);
  await fail(authenticator, address, 3);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("principal");
  await store.revoke(record.id, start, by);
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("invalid");
  expect((await authenticator.authenticate(bearing(token), address)).status).toBe("limited");
});

test("remembers only so many failing addresses", async () => {
  const { authenticator } = setUp([], { limits });
  await fail(authenticator, "192.0.2.1", 3);
  await fail(authenticator, "192.0.2.2", 3);
  await fail(authenticator, "192.0.2.3", 3);
  expect(await fail(authenticator, "192.0.2.1", 1)).toEqual(["invalid"]);
  expect(await fail(authenticator, "192.0.2.3", 1)).toEqual(["limited"]);
});

test("writes the last use once for many requests, and the rest when it closes", async () => {
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

test("keeps a last use that could not be written, and tells", async () => {
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

test("closes without a place for last uses, and without any use", async () => {
  const store = createMemoryTokenStore();
  const plain = { tokens: store, pepper: TEST_PEPPER, now: () => start };
  await openAuthenticator(plain)[Symbol.asyncDispose]();
  const used = vi.spyOn(store, "used");
  await openAuthenticator({ ...plain, use: store })[Symbol.asyncDispose]();
  expect(used).not.toHaveBeenCalled();
});
