import { expect, test } from "vitest";
import { principalOf } from "./principal.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import type { RefreshTokenRecord } from "./refresh-tokens.ts";
import {
  createMemoryRefreshTokens,
  createMemoryTokenStore,
  createTestRandom,
  createTestToken,
} from "./testing/index.ts";

const START = new Date("2026-01-01T00:00:00Z");
const DAY_MS = 24 * 60 * 60_000;

function setUp(fields: Parameters<typeof createTestToken>[0] = {}) {
  const { token, record } = createTestToken(fields);
  const tokens = createMemoryTokenStore([record]);
  const memory = createMemoryRefreshTokens();
  const written: RefreshTokenRecord[] = [];
  let uses = 0;
  const store: typeof memory = {
    ...memory,
    async insert(made, most) {
      written.push(made);
      await memory.insert(made, most);
    },
    async used(...use) {
      uses += 1;
      await memory.used(...use);
    },
  };
  const clock = { now: START };
  const options = { store, tokens, now: () => clock.now, random: createTestRandom() };
  const after = (ms: number) => void (clock.now = new Date(START.getTime() + ms));
  const principal = principalOf(record);
  const refresh = createRefreshTokens(options);
  return { refresh, principal, record, token, tokens, written, after, uses: () => uses };
}

test("is opaque, stored as a hash, and identifies its API token", async () => {
  const { refresh, principal, written, token } = setUp({ name: "laptop" });
  const issued = await refresh.issue(principal, "docker");
  expect(issued).toMatch(/^shr_[\w-]{43}$/);
  expect(await refresh.verify(issued)).toEqual(principal);
  const stored = JSON.stringify(written);
  expect(stored).toContain('"client":"docker"');
  expect(stored).not.toContain(issued.slice(4, 20));
  expect(stored).not.toContain(token);
});

test("is valid repeatedly, because docker keeps only the first", async () => {
  const { refresh, principal, uses } = setUp();
  const issued = await refresh.issue(principal, "docker");
  for (let n = 0; n < 5; n += 1) expect(await refresh.verify(issued)).toBeDefined();
  expect(uses()).toBe(1);
});

test("expires after 90 days without use", async () => {
  const { refresh, principal, after } = setUp();
  const issued = await refresh.issue(principal, "docker");
  const never = await refresh.issue(principal, "docker");
  after(80 * DAY_MS);
  expect(await refresh.verify(issued)).toBeDefined();
  after(90 * DAY_MS);
  expect(await refresh.verify(never)).toBeUndefined();
  after(169 * DAY_MS);
  expect(await refresh.verify(issued)).toBeDefined();
  after(260 * DAY_MS);
  expect(await refresh.verify(issued)).toBeUndefined();
});

test("is invalid when its API token is revoked or expired", async () => {
  const one = setUp();
  const revoked = await one.refresh.issue(one.principal, "docker");
  await one.tokens.revoke(one.record.id, START, { actor: "test" });
  expect(await one.refresh.verify(revoked)).toBeUndefined();
  const two = setUp({ expiresAt: new Date(START.getTime() + DAY_MS) });
  const expired = await two.refresh.issue(two.principal, "docker");
  two.after(DAY_MS);
  expect(await two.refresh.verify(expired)).toBeUndefined();
});

test.each([
  "",
  "shr_",
  "made-up",
  `shr_${"a".repeat(43)}`,
  `shr_${"a".repeat(100_000)}`,
  "eyJ.a.b",
])("%.20j is not valid", async (text) => {
  expect(await setUp().refresh.verify(text)).toBeUndefined();
});

test("the limit per client removes only tokens of that client", async () => {
  const { refresh, principal } = setUp();
  const docker = await refresh.issue(principal, "docker");
  const first = await refresh.issue(principal, "robot");
  for (let n = 0; n < 20; n += 1) await refresh.issue(principal, "robot");
  expect(await refresh.verify(first)).toBeUndefined();
  expect(await refresh.verify(docker)).toBeDefined();
});

test("truncates the name of a client to its column", async () => {
  const { refresh, principal, written } = setUp();
  await refresh.issue(principal, "x".repeat(10_000));
  expect(written[0]?.client).toHaveLength(64);
});
