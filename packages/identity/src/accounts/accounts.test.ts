import { expect, test } from "vitest";
import { openAuthenticator } from "../authenticator.ts";
import type { NewToken } from "../create-token.ts";
import type { TokenRecord } from "../ports.ts";
import {
  createMemoryLoginSessions,
  createMemoryTokenStore,
  createTestOrigins,
  createTestRandom,
  createTestToken,
  TEST_PEPPER,
} from "../testing/index.ts";
import type { AccountHolder } from "./account-types.ts";
import { createTokenAccounts } from "./accounts.ts";

const start = new Date("2026-01-01T00:00:00Z");
const by = { actor: "operator" };
const DAY_MS = 24 * 60 * 60_000;

function opened({ stepUp = false } = {}) {
  const clock = { now: start };
  const now = () => clock.now;
  const tokens = createMemoryTokenStore();
  const loginSessions = createMemoryLoginSessions();
  const authenticator = openAuthenticator({ tokens, pepper: TEST_PEPPER, now });
  const accounts = createTokenAccounts({
    protocol: "npm",
    tokens,
    sessions: loginSessions,
    authenticator,
    contexts: createTestOrigins(),
    now,
    pepper: TEST_PEPPER,
    random: createTestRandom(),
    webLogin: true,
    stepUp,
    signInPage: (_request, _env, code) => `https://feed.test/sign-in/${code}`,
  });
  const add = async (fields: Partial<NewToken>) => {
    const { token, record } = createTestToken(fields, start);
    await tokens.insert(record, by);
    return { token, id: record.id };
  };
  const identify = (token: string) => accounts.identify(requestWith(token), undefined);
  const holder = async (token: string): Promise<AccountHolder> => {
    const identified = await identify(token);
    if (identified.status !== "known") throw new Error(identified.status);
    return identified.holder;
  };
  return { clock, tokens, loginSessions, accounts, add, identify, holder };
}

function byPassword(password: string) {
  return { password, confirm: async () => undefined };
}

function requestWith(token?: string): Request {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  return new Request("https://feed.test/npm/-/whoami", { headers });
}

test("identify accepts a token of any scope and gives the reason for others", async () => {
  const { clock, add, accounts, identify } = opened();
  const refused = (status: string, words: string) => ({
    status,
    reason: expect.stringContaining(words) as string,
  });
  const writer = await add({ name: "alice", scopes: ["write"] });
  expect(await identify(writer.token)).toMatchObject({
    status: "known",
    holder: { actor: "alice" },
  });
  const nuget = await add({ protocols: ["nuget"] });
  expect(await identify(nuget.token)).toEqual(refused("denied", "not valid for npm"));
  const near = await add({ networks: ["10.0.0.0/8"] });
  expect(await identify(near.token)).toEqual(refused("denied", "network address"));
  const short = await add({ expiresAt: new Date(start.getTime() + DAY_MS) });
  clock.now = new Date(start.getTime() + DAY_MS);
  expect(await identify(short.token)).toEqual(refused("anonymous", "has expired"));
  expect(await accounts.identify(requestWith(), undefined)).toEqual({ status: "anonymous" });
});

test("a sign-in creates a token with the limits of the password, for npm only", async () => {
  const { tokens, accounts, add, identify } = opened();
  const expiresAt = new Date(start.getTime() + DAY_MS);
  const limits = { scopes: ["read", "write"], patterns: ["@acme/*"], expiresAt } as const;
  const { token, id } = await add({ name: "alice", ...limits });
  const signedIn = await accounts.signIn(requestWith("stale"), undefined, byPassword(token));
  if (signedIn.status !== "signed-in") throw new Error(signedIn.status);
  expect(signedIn.name).toBe("alice");
  const made = (await tokens.listNamed("alice")).find(({ parentId }) => parentId === id);
  expect(made).toMatchObject({ ...limits, protocols: ["npm"], owner: "alice" });
  expect(await accounts.signOut(requestWith(), undefined, signedIn.token)).toEqual({
    status: "revoked",
  });
  expect((await identify(signedIn.token)).status).toBe("anonymous");
  expect((await identify(token)).status).toBe("known");
});

test("a sign-in requires the confirmation, and refuses a token for publishing", async () => {
  const { tokens, accounts, add } = opened();
  const { token, id } = await add({ name: "alice" });
  const holders: AccountHolder[] = [];
  const confirm = async (holder: AccountHolder) => {
    holders.push(holder);
    throw new Error("not yet");
  };
  const password = { password: token, confirm };
  await expect(accounts.signIn(requestWith(), undefined, password)).rejects.toThrow("not yet");
  expect(holders).toMatchObject([{ actor: "alice", tokenId: id }]);
  const job = await add({ name: "job", scopes: ["publish"] });
  expect(await accounts.signIn(requestWith(), undefined, byPassword(job.token))).toEqual({
    status: "refused",
    reason: "The token in use can only publish, so it cannot create tokens.",
  });
  expect((await tokens.list()).map(({ id: tokenId }) => tokenId)).toEqual([id, job.id]);
});

test("a sign-out accepts a revoked token and reports an unknown one", async () => {
  const { accounts, add } = opened();
  const { token } = await add({ name: "alice" });
  for (let count = 0; count < 2; count++) {
    expect(await accounts.signOut(requestWith(), undefined, token)).toEqual({ status: "revoked" });
  }
  const { token: never } = createTestToken();
  expect(await accounts.signOut(requestWith(), undefined, never)).toEqual({ status: "unknown" });
});

test("failed sign-ins and sign-outs share one rate limit", async () => {
  const { accounts } = opened();
  const outcomes = new Set<string>();
  for (let count = 0; count < 100; count++) {
    const { token } = createTestToken();
    outcomes.add((await accounts.signOut(requestWith(), undefined, token)).status);
    outcomes.add((await accounts.signIn(requestWith(), undefined, byPassword(token))).status);
  }
  expect([...outcomes]).toEqual(["unknown", "refused", "limited"]);
});

test("a token created by an administrator has all scopes except admin", async () => {
  const { tokens, accounts, add, holder } = opened();
  const admin = await add({ name: "root", scopes: ["admin"] });
  await accounts.tokens.create(await holder(admin.token), { name: "ci" });
  const [, made] = await tokens.listNamed("root");
  expect(made?.scopes).toEqual(["read", "stage", "write", "delete"]);
});

test("a token can neither create nor revoke a token with more permissions", async () => {
  const { accounts, add, holder } = opened();
  const wide = await add({ name: "alice", scopes: ["read", "write"] });
  const alice = await holder(wide.token);
  const narrow = await accounts.tokens.create(alice, { name: "narrow", permission: "read" });
  const strong = await accounts.tokens.create(alice, { name: "strong", permission: "write" });
  if (narrow.status !== "created" || strong.status !== "created") throw new Error("not made");
  const reader = await holder(narrow.value);
  expect(await accounts.tokens.create(reader, { name: "x", permission: "write" })).toMatchObject({
    status: "refused",
    reason: "The token in use can only read, so it cannot create tokens.",
  });
  expect(await accounts.signIn(requestWith(), undefined, byPassword(narrow.value))).toMatchObject({
    status: "refused",
  });
  expect(await accounts.tokens.revoke(reader, strong.token.id)).toBe("refused");
  expect(await accounts.tokens.revoke(reader, strong.value)).toBe("revoked");
  expect(await accounts.tokens.revoke(alice, narrow.token.id.slice(0, 8))).toBe("revoked");
  expect(await accounts.tokens.revoke(alice, narrow.token.id)).toBe("absent");
  expect(await accounts.tokens.revoke(alice, "abc")).toBe("absent");
});

test("a narrow administrator sees what it covers, and revokes no administrator", async () => {
  const { accounts, add, holder } = opened();
  const limits = { patterns: ["@acme/*"] };
  const admin = await add({ name: "root", scopes: ["admin"], ...limits });
  await add({ name: "other", scopes: ["read"] });
  await add({ name: "elsewhere", scopes: ["read"], patterns: ["@bob/*"] });
  const inside = await add({ name: "inside", scopes: ["read"], patterns: ["@acme/demo"] });
  const peer = await add({ name: "peer", scopes: ["admin"], ...limits });
  const root = await holder(admin.token);
  const seen = (await accounts.tokens.list(root)).map(({ name }) => name);
  expect(seen).toEqual(["root", "inside", "peer"]);
  expect(await accounts.tokens.revoke(root, peer.id)).toBe("refused");
  expect(await accounts.tokens.revoke(root, inside.id)).toBe("revoked");
  const wide = await holder((await add({ name: "boss", scopes: ["admin"] })).token);
  expect(await accounts.tokens.list(wide)).toHaveLength(5);
  expect(await accounts.tokens.revoke(wide, peer.id)).toBe("revoked");
});

test("two tokens without an owner do not see each other under the same name", async () => {
  const { accounts, add, holder } = opened();
  const [one, two] = [await add({ name: "ci" }), await add({ name: "ci", scopes: ["read"] })];
  const seen = await accounts.tokens.list(await holder(two.token));
  expect(seen.map(({ id }) => id)).toEqual([two.id.replaceAll("-", "")]);
  expect(await accounts.tokens.revoke(await holder(two.token), one.id)).toBe("absent");
});

test("a confirmation is valid once, for one action of one token", async () => {
  const { clock, loginSessions, accounts, add, holder } = opened({ stepUp: true });
  const alice = await holder((await add({ name: "alice" })).token);
  const bob = await holder((await add({ name: "bob" })).token);
  const action = "token-create";
  expect(await accounts.stepUp.check(alice, action, undefined)).toBe("wanted");
  const confirmation = { holder: alice, action } as const;
  const started = await accounts.stepUp.start(requestWith(), undefined, confirmation);
  if (started.status !== "started") throw new Error(started.status);
  const { code, secret, page } = started;
  expect(page).toBe(`https://feed.test/sign-in/${code}`);
  const until = new Date(clock.now.getTime() + DAY_MS);
  await loginSessions.decide(code, { status: "agreed", grant: { by }, until }, clock.now);
  expect(await accounts.stepUp.check(bob, action, secret)).toBe("wanted");
  expect(await accounts.stepUp.check(alice, "trust-change", secret)).toBe("wanted");
  expect(await accounts.stepUp.check(alice, action, secret)).toBe("confirmed");
  expect(await accounts.stepUp.check(alice, action, secret)).toBe("wanted");
});

test("a token of a user lists and revokes what the user may change now", async () => {
  const { tokens, accounts, holder } = opened();
  const add = async (fields: Partial<TokenRecord>) => {
    const { token, record } = createTestToken({ scopes: fields.scopes ?? ["read"] }, start);
    await tokens.insert({ ...record, owner: "ada", ...fields }, by);
    return { token, id: record.id };
  };
  const user = { id: "u-1", handle: "ada", role: "consumer", state: "active" } as const;
  const own = await add({ scopes: ["read", "admin"], userId: user.id, user });
  const read = await add({ scopes: ["read"], userId: user.id, user });
  const written = await add({ scopes: ["write"], userId: user.id, user });
  const sameName = await add({ scopes: ["read"] });
  const other = await add({ scopes: ["read"], owner: "bob" });
  const ada = await holder(own.token);
  const keyOf = ({ id }: { readonly id: string }) => id.replaceAll("-", "");
  const listed = (await accounts.tokens.list(ada)).map(({ id }) => id);
  expect(listed.toSorted()).toEqual([own, read, written].map(keyOf).toSorted());
  expect(await accounts.tokens.revoke(ada, keyOf(sameName))).toBe("absent");
  expect(await accounts.tokens.revoke(ada, keyOf(other))).toBe("absent");
  expect(await accounts.tokens.revoke(ada, keyOf(written))).toBe("refused");
  expect(await accounts.tokens.revoke(ada, keyOf(read))).toBe("revoked");
});
