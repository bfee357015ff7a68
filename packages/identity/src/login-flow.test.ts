import { expect, test, vi } from "vitest";
import { makeLoginCode, parseLoginCode } from "./login-code.ts";
import { createLoginCodes } from "./login-codes.ts";
import { createLoginFlow } from "./login-flow.ts";
import type { LoginGrant, LoginPurpose } from "./login-sessions.ts";
import type { SignInFailures } from "./ports.ts";
import {
  createMemoryLoginSessions,
  createMemorySignInFailures,
  createMemoryTokenStore,
  createTestRandom,
  TEST_PEPPER,
} from "./testing/index.ts";

const by = { actor: "operator" };
const start = new Date("2026-01-01T00:00:00Z");
const grant: LoginGrant = {
  by,
  token: {
    name: "npm login",
    owner: "alice",
    scopes: ["read"],
    protocols: ["npm"],
    patterns: [],
    networks: [],
  },
};

function opened(failures?: SignInFailures) {
  const clock = { now: start };
  const sessions = createMemoryLoginSessions();
  const tokens = createMemoryTokenStore();
  const random = createTestRandom();
  const now = () => clock.now;
  const flow = createLoginFlow({ sessions, tokens, pepper: TEST_PEPPER, random, now, failures });
  const begin = async (purpose: LoginPurpose = "login", subject = "") => {
    const started = await flow.start(
      purpose === "login" ? { purpose } : { purpose, subject, tokenId: "t-1" },
    );
    if (started.status !== "started") throw new Error("too many are waiting");
    return started;
  };
  const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
  const agree = (code: string, loginGrant: LoginGrant = grant, until = later(11)) =>
    sessions.decide(code, { status: "agreed", grant: loginGrant, until }, clock.now);
  return { clock, sessions, tokens, flow, begin, later, agree };
}

test("waits for the approval, then returns the same token to each poll", async () => {
  const { tokens, flow, begin, agree } = opened();
  const { code, secret } = await begin();
  expect(await flow.poll(secret)).toEqual({ status: "waiting" });
  await agree(code);
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => flow.poll(secret)));
  expect(first).toMatchObject({
    status: "agreed",
    secret: expect.stringMatching(/^shp_/) as string,
  });
  expect(others).toEqual([first, first]);
  const stored = await tokens.listNamed("alice");
  expect(stored).toMatchObject([{ name: "npm login", owner: "alice", protocols: ["npm"] }]);
});

test("a client that a user approved gets a token of that user", async () => {
  const { tokens, flow, begin, agree } = opened();
  const { code, secret } = await begin();
  if (!grant.token) throw new Error("the grant has no token");
  await agree(code, { by: { actor: "alice" }, token: { ...grant.token, userId: "u-1" } });
  await flow.poll(secret);
  expect(await tokens.listNamed("alice")).toMatchObject([{ owner: "alice", userId: "u-1" }]);
});

test("a sign-in ends when its token would already be expired", async () => {
  const { clock, tokens, flow, begin, later, agree } = opened();
  const { code, secret } = await begin();
  if (!grant.token) throw new Error("a login is granted with a token");
  await agree(code, { by, token: { ...grant.token, expiresAt: later(5) } });
  clock.now = later(5);
  expect(await flow.poll(secret)).toEqual({ status: "ended" });
  expect(await tokens.list()).toEqual([]);
});

test("two sign-ins of one user give two tokens", async () => {
  const { tokens, flow, begin, agree } = opened();
  for (const { code, secret } of [await begin(), await begin()]) {
    await agree(code);
    await flow.poll(secret);
  }
  expect(new Set((await tokens.list()).map(({ hash }) => hash)).size).toBe(2);
});

test("reports denied, expired and unknown sessions", async () => {
  const { clock, sessions, flow, begin, later } = opened();
  const [refused, forgotten] = [await begin(), await begin()];
  await sessions.decide(refused.code, { status: "denied", by }, start);
  expect(await flow.poll(refused.secret)).toEqual({ status: "denied" });
  clock.now = later(10);
  expect(await flow.poll(forgotten.secret)).toEqual({ status: "ended" });
  expect(await flow.poll("A".repeat(43))).toEqual({ status: "ended" });
  expect(await flow.poll(forgotten.code)).toEqual({ status: "ended" });
});

test.each(["secret", "code"] as const)(
  "the %s confirms once, and only its own action",
  async (what) => {
    const { flow, begin, agree } = opened();
    const started = await begin("confirm", "t-1 token-create");
    const password = started[what];
    expect(await flow.confirm(password, actionOf("t-1"))).toBe(false);
    await agree(started.code, { by });
    expect(await flow.poll(started.secret)).toEqual({ status: "agreed", secret: started.secret });
    expect(await flow.confirm(password, actionOf("t-2"))).toBe(false);
    expect(await flow.confirm("BBBB-BBBB", actionOf("t-1"))).toBe(false);
    expect(await flow.confirm(password, actionOf("t-1"))).toBe(true);
    expect(await flow.confirm(password, actionOf("t-1"))).toBe(false);
  },
);

test("neither a sign-in nor an expired session confirms an action", async () => {
  const { clock, flow, begin, agree, later } = opened();
  const login = await begin("login", "t-1 token-create");
  const confirmation = await begin("confirm", "t-1 token-create");
  await agree(login.code);
  await agree(confirmation.code, { by });
  expect(await flow.confirm(login.secret, actionOf("t-1"))).toBe(false);
  clock.now = later(11);
  expect(await flow.confirm(confirmation.secret, actionOf("t-1"))).toBe(false);
});

test("parses codes in any letter case, with or without the dash", () => {
  const code = makeLoginCode(createTestRandom(7));
  expect(code).toMatch(/^[B-DF-HJ-NP-TV-Z2-9]{4}-[B-DF-HJ-NP-TV-Z2-9]{4}$/);
  expect(parseLoginCode(` ${code.toLowerCase().replace("-", "")} `)).toBe(code);
  for (const text of ["", "BCDF", "AEIO-UAEI", `${code}2`, "0101-0101"]) {
    expect(parseLoginCode(text), text).toBeUndefined();
  }
});

test.each([
  ["an IPv4 address", 20, () => "192.0.2.1"],
  ["an IPv6 /64", 20, (count: number) => `2001:db8::${count}`],
  ["an IPv6 /56", 80, (count: number) => `2001:db8:0:${hex(count % 256)}::1`],
  ["an IPv6 /48", 320, (count: number) => `2001:db8:0:${hex(count * 16)}::1`],
])("%s starts at most %i sign-ins at once", async (_, most, addressOf) => {
  const { flow, clock, later } = opened();
  const startFrom = async (address: string) =>
    (await flow.start({ purpose: "login", address })).status;
  const all = Array.from({ length: most + 5 }, (__, count) => startFrom(addressOf(count)));
  const outcomes = await Promise.all(all);
  expect(outcomes.filter((status) => status === "started")).toHaveLength(most);
  expect(await startFrom("2001:db8:1::1")).toBe("started");
  expect(await startFrom("198.51.100.1")).toBe("started");
  clock.now = later(1);
  expect(await startFrom(addressOf(most))).toBe("started");
});

test("starts of all instances count together", async () => {
  const failures = createMemorySignInFailures();
  const [one, other] = [opened(failures), opened(failures)];
  const startAt = (flow: typeof one.flow) => flow.start({ purpose: "login", address: "192.0.2.1" });
  const all = Array.from({ length: 30 }, (_, count) => startAt((count % 2 ? one : other).flow));
  const outcomes = await Promise.all(all);
  expect(outcomes.filter(({ status }) => status === "started")).toHaveLength(20);
});

test("confirmations count for their token alone", async () => {
  const { flow } = opened();
  const confirmBy = async (tokenId: string) =>
    (await flow.start({ purpose: "confirm", subject: "", tokenId, address: "192.0.2.1" })).status;
  for (let count = 0; count < 20; count++) {
    await flow.start({ purpose: "login", address: "192.0.2.1" });
    expect(await confirmBy("t-1")).toBe("started");
  }
  expect(await confirmBy("t-1")).toBe("crowded");
  expect(await confirmBy("t-2")).toBe("started");
});

test("guesses of codes are limited by token, and the right code works a minute later", async () => {
  const { flow, begin, agree, clock } = opened();
  const { code } = await begin("confirm", "t-1 token-create");
  await agree(code, { by });
  for (let count = 0; count < 30; count++) {
    expect(await flow.confirm("BBBB-BBBB", actionOf("t-1"))).toBe(false);
  }
  expect(await flow.confirm(code, actionOf("t-1"))).toBe(false);
  clock.now = new Date(start.getTime() + 60_000);
  expect(await flow.confirm(code, actionOf("t-1"))).toBe(true);
});

test("an approval ends with its token, and when the sign-in ends during the poll", async () => {
  const { flow, begin, agree, tokens, sessions } = opened();
  const login = await begin();
  await agree(login.code);
  const polled = await flow.poll(login.secret);
  expect(polled.status).toBe("agreed");
  const [record] = await tokens.listNamed("alice");
  await tokens.revoke(record?.id ?? "", start, by);
  expect(await flow.poll(login.secret)).toEqual({ status: "ended" });
  const blocked = await begin();
  await agree(blocked.code);
  const insert = vi.spyOn(tokens, "insert");
  insert.mockImplementationOnce(async (token, caller) => {
    insert.mockRestore();
    const { pollHash } = (await sessions.findByCode(blocked.code)) ?? { pollHash: "" };
    await sessions.take(pollHash);
    return tokens.insert(token, caller);
  });
  expect(await flow.poll(blocked.secret)).toEqual({ status: "ended" });
  for (const token of await tokens.listNamed("alice")) expect(token.revokedAt).toBeDefined();
});

test("unknown codes of a network are limited", async () => {
  const { sessions, begin } = opened();
  const { code } = await begin();
  const codes = createLoginCodes({ loginSessions: sessions, now: () => start });
  for (let host = 1; host <= 30; host++) {
    expect(await codes.find("BBBB-BBBB", `2001:db8::${host}`)).toBeUndefined();
  }
  expect(await codes.find(code, "2001:db8::1")).toBe("limited");
  expect(await codes.find(code.toLowerCase(), "192.0.2.1")).toMatchObject({ code });
});

function actionOf(tokenId: string) {
  return { subject: `${tokenId} token-create`, tokenId };
}

function hex(value: number): string {
  return value.toString(16);
}
