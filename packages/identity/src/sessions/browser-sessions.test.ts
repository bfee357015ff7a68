import { expect, test } from "vitest";
import {
  createMemorySessions,
  createMemoryTokenStore,
  createTestRandom,
  createTestToken,
  sessionUser,
} from "../testing/index.ts";
import type { SignedIn } from "./browser-sessions.ts";
import { createBrowserSessions } from "./browser-sessions.ts";
import { hashOf } from "./secret.ts";
import type { SessionUser } from "./session.ts";

const START = new Date("2026-03-01T00:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function openSessions() {
  let time = START.getTime();
  const now = () => new Date(time);
  const ada = sessionUser({ handle: "ada", role: "administrator" });
  const users = new Map<string, SessionUser>([[ada.id, ada]]);
  const made = createTestToken({ name: "ci", scopes: ["read"], expiresAt: at(DAY) }, START);
  const tokens = createMemoryTokenStore([made.record]);
  const rows = createMemorySessions(users);
  const uses: string[] = [];
  const counted = {
    ...rows,
    seen: (...[hash, use]: Parameters<typeof rows.seen>) => (uses.push(hash), rows.seen(hash, use)),
  };
  const sessions = createBrowserSessions({
    rows: counted,
    tokens,
    now,
    random: createTestRandom(),
  });
  const find = (secret: string, mayRotate = true) => sessions.find(secret, { mayRotate });
  return {
    sessions,
    rows,
    users,
    ada,
    tokens,
    find,
    uses,
    token: made.record,
    advance: (ms: number) => void (time += ms),
    asUser: (more: Partial<SignedIn> = {}) =>
      sessions.open({ holder: { user: ada }, method: "microsoft", ...more }),
    asToken: () =>
      sessions.open({
        holder: { token: { tokenId: made.record.id, name: "ci", expiresAt: at(DAY) } },
        method: "token",
      }),
  };
}

function at(ms: number): Date {
  return new Date(START.getTime() + ms);
}

test("a session has the rights of its user's role or of its token", async () => {
  const { find, asUser, asToken, ada, token } = openSessions();
  const [user, ofToken] = [await find(await asUser()), await find(await asToken())];
  const { id, handle, role, state } = ada;
  expect(user?.principal).toEqual({
    kind: "session",
    name: "ada",
    user: { id, handle, role, state },
    sessionHash: user?.hash,
  });
  expect(ofToken?.principal).toMatchObject({
    tokenId: token.id,
    scopes: ["read"],
    sessionHash: ofToken?.hash,
  });
});

test.each([
  ["11 hours without use", [11 * HOUR], true],
  ["12 hours without use", [12 * HOUR], false],
  ["6 days of use", Array.from({ length: 13 }, () => 11 * HOUR), true],
  ["7 days of use", Array.from({ length: 16 }, () => 11 * HOUR), false],
] as const)("a session after %s", async (_, pauses, isValid) => {
  const { find, asUser, advance } = openSessions();
  let secret = await asUser();
  let isFound = true;
  for (const pause of pauses) {
    advance(pause);
    const session = await find(secret);
    isFound = session !== undefined;
    secret = session?.secret ?? secret;
  }
  expect(isFound).toBe(isValid);
});

test("stores the use at most once a minute", async () => {
  const { find, asUser, advance, uses } = openSessions();
  const secret = await asUser();
  await find(secret);
  advance(59_000);
  await find(secret);
  expect(uses).toEqual([]);
  advance(1_000);
  await find(secret);
  await find(secret);
  expect(uses).toHaveLength(1);
});

test("the secret changes after a day, and the former one is valid for a minute more", async () => {
  const { find, asUser, advance, rows } = openSessions();
  const secret = await asUser();
  advance(11 * HOUR);
  await find(secret);
  advance(11 * HOUR);
  expect((await find(secret))?.isRenewed).toBe(false);
  advance(2 * HOUR);
  expect((await find(secret, false))?.isRenewed).toBe(false);
  const [first, second] = await Promise.all([find(secret), find(secret)]);
  const renewed = [first, second].filter((session) => session?.isRenewed);
  expect(renewed).toHaveLength(1);
  const next = renewed[0]?.secret ?? "";
  expect((await rows.find(hashOf(next)))?.previousHash).toBe(hashOf(secret));
  advance(59_000);
  expect(await find(secret)).toMatchObject({ isRenewed: false, hash: hashOf(next) });
  advance(1_000);
  expect(await find(secret)).toBeUndefined();
  expect(await find(next)).toBeDefined();
});

test.each([
  ["blocked", (user: SessionUser) => ({ ...user, state: "blocked" as const })],
  ["suspended", (user: SessionUser) => ({ ...user, state: "suspended" as const })],
  ["signed out everywhere", (user: SessionUser) => ({ ...user, epoch: user.epoch + 1 })],
])("the sessions of a user who is %s are not valid", async (_, change) => {
  const { find, asUser, users, ada } = openSessions();
  const secret = await asUser();
  users.set(ada.id, change(ada));
  expect(await find(secret)).toBeUndefined();
});

test("a demoted user has fewer rights in the same session", async () => {
  const { find, asUser, users, ada } = openSessions();
  const secret = await asUser();
  users.set(ada.id, { ...ada, role: "consumer" });
  expect((await find(secret))?.principal).toMatchObject({ user: { role: "consumer" } });
});

test("the session of a token ends with the token", async () => {
  const { find, asToken, tokens, token, advance } = openSessions();
  const [revoked, expired] = [await asToken(), await asToken()];
  advance(11 * HOUR);
  await find(expired);
  advance(11 * HOUR);
  await find(expired);
  advance(2 * HOUR);
  expect(await find(expired)).toBeUndefined();
  await tokens.revoke(token.id, START, { actor: "operator" });
  expect(await find(revoked)).toBeUndefined();
});

test("a sign-in replaces the browser's former session and never adopts its secret", async () => {
  const { find, asUser } = openSessions();
  const former = await asUser();
  const next = await asUser({ formerSecret: former });
  expect(next).not.toBe(former);
  expect(await find(former)).toBeUndefined();
  const invented = "A".repeat(43);
  await asUser({ formerSecret: invented });
  expect(await find(invented)).toBeUndefined();
});

test("signing out everywhere ends all sessions of the user", async () => {
  const { find, asUser, asToken, sessions } = openSessions();
  const [one, other, ofToken] = [await asUser(), await asUser(), await asToken()];
  const session = await find(one);
  if (!session) throw new Error("no session");
  expect(await sessions.list(session)).toHaveLength(2);
  await sessions.endAll(session, { actor: "ada" });
  expect([await find(one), await find(other)]).toEqual([undefined, undefined]);
  expect(await find(ofToken)).toBeDefined();
});
