import { expect, test, vi } from "vitest";
import { openAuthenticator } from "../authenticator.ts";
import { createBearerTokens } from "../bearer-tokens.ts";
import type { NewToken } from "../create-token.ts";
import { createRefreshTokens } from "../refresh-tokens.ts";
import {
  TEST_PEPPER,
  createMemoryRefreshTokens,
  createMemoryTokenStore,
  createTestOrigins,
  createTestRandom,
  createTestToken,
} from "../testing/index.ts";
import type { AccessRules } from "./access-rules.ts";
import { createImageAuthorize } from "./image-access.ts";
import { createImageTokens } from "./image-tokens.ts";
import { createPackageAuthorize } from "./package-access.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const APP = "team/app";

function openRules(anonymousPull: boolean, ...tokens: Partial<NewToken>[]) {
  const made = tokens.map((fields) => createTestToken(fields, NOW));
  const store = createMemoryTokenStore(made.map(({ record }) => record));
  const now = () => NOW;
  const identity = { tokens: store, pepper: TEST_PEPPER, now };
  const rules: AccessRules = {
    authenticator: openAuthenticator(identity),
    bearerTokens: createBearerTokens({
      ...identity,
      issuer: "sealhouse",
      service: "default",
      random: createTestRandom(),
    }),
    refreshTokens: createRefreshTokens({
      store: createMemoryRefreshTokens(),
      tokens: store,
      now,
      random: createTestRandom(),
    }),
    contexts: createTestOrigins(),
    anonymousPull,
    now,
  };
  return { rules, store, tokens: made.map(({ token, record }) => ({ token, id: record.id })) };
}

function request(headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/", { headers });
}

const basic = (secret: string) => `Basic ${Buffer.from(`someone:${secret}`).toString("base64")}`;

test.each([
  ["nuget", true, "read", {}, "granted"],
  ["nuget", false, "read", {}, "anonymous"],
  ["nuget", true, "write", {}, "anonymous"],
  ["nuget", true, "write", { "x-nuget-apikey": "wrong" }, "denied"],
  ["nuget", true, "read", { authorization: "Bearer wrong" }, "anonymous"],
  ["npm", true, "read", {}, "granted"],
  ["npm", true, "write", { authorization: "Bearer wrong" }, "anonymous"],
] as const)(
  "%s, anonymous pull %s, %s with %j: %s",
  async (...[protocol, pull, action, headers, status]) => {
    const { rules } = openRules(pull);
    const verdict = await createPackageAuthorize(rules, protocol)(request(headers), undefined, {
      action,
    });
    expect(verdict.status).toBe(status);
  },
);

test.each(["x-nuget-apikey", "bearer", "basic"])("accepts a token as %s", async (via) => {
  const { rules, tokens } = openRules(false, { name: "ci", scopes: ["write"] });
  const token = tokens[0]?.token ?? "";
  const headers =
    via === "x-nuget-apikey"
      ? { "x-nuget-apikey": token }
      : { authorization: via === "basic" ? basic(token) : `Bearer ${token}` };
  const sentRequest = request(headers);
  const verdict = await createPackageAuthorize(rules, "nuget")(sentRequest, undefined, {
    action: "write",
  });
  const requestId = rules.contexts.of(sentRequest, undefined).id;
  expect(verdict).toEqual({
    status: "granted",
    caller: { actor: "ci", tokenId: tokens[0]?.id, address: "192.0.2.1", requestId },
  });
});

test("denies a token without the scope or for another name, with a reason", async () => {
  const { rules, tokens } = openRules(false, { scopes: ["read"] }, { patterns: ["Acme.*"] });
  const authorize = createPackageAuthorize(rules, "nuget");
  const [readOnly, narrow] = tokens.map(({ token }) => request({ "x-nuget-apikey": token }));
  if (!readOnly || !narrow) throw new Error("two tokens were made");
  expect(await authorize(readOnly, undefined, { action: "write" })).toMatchObject({
    status: "denied",
    reason: expect.stringContaining("scope write") as unknown,
  });
  const access = { action: "write", name: "Other.Package" } as const;
  expect(await authorize(narrow, undefined, access)).toMatchObject({ status: "denied" });
});

test.each([true, false])(
  "the OCI ping challenges an anonymous caller, anonymous pull %s",
  async (pull) => {
    const { rules } = openRules(pull);
    const verdict = await createImageAuthorize(rules)(request(), undefined, { action: "pull" });
    expect(verdict.status).toBe("anonymous");
  },
);

test("a caller without credentials can pull a public repository and not push to it", async () => {
  const { rules } = openRules(true);
  const authorize = createImageAuthorize(rules);
  const verdict = await authorize(request(), undefined, { action: "pull", repository: APP });
  expect(verdict.status).toBe("granted");
  const push = await authorize(request(), undefined, { action: "push", repository: APP });
  expect(push.status).toBe("anonymous");
});

async function bearerFor(rules: AccessRules, headers: Record<string, string>, actions: string[]) {
  const outcome = await createImageTokens(rules).issue({
    request: request(headers),
    env: undefined,
    grant: { type: "header" },
    scopes: [{ type: "repository", name: APP, actions }],
    offline: true,
    client: "test",
  });
  if (outcome.status !== "issued") throw new Error(outcome.status);
  return outcome;
}

test("a bearer token grants its access list and does not contain the API token", async () => {
  const { rules, tokens } = openRules(false, { scopes: ["read", "write"] });
  const token = tokens[0]?.token ?? "";
  const issued = await bearerFor(rules, { authorization: basic(token) }, ["pull", "push"]);
  expect(issued.token).not.toContain(token);
  const authorize = createImageAuthorize(rules);
  const createRequest = () => request({ authorization: `Bearer ${issued.token}` });
  const ping = await authorize(createRequest(), undefined, { action: "pull" });
  expect(ping.status).toBe("granted");
  const push = await authorize(createRequest(), undefined, { action: "push", repository: APP });
  expect(push).toMatchObject({ status: "granted", caller: { tokenId: tokens[0]?.id } });
  if (push.status !== "granted") throw new Error(push.status);
  expect(push.mayPull("other/app")).toBe(false);
  expect(push.mayPull(APP)).toBe(true);
  const other = { action: "pull", repository: "other/app" } as const;
  expect(await authorize(createRequest(), undefined, other)).toEqual({
    status: "anonymous",
    error: "insufficient_scope",
  });
  const remove = { action: "delete", repository: APP } as const;
  expect((await authorize(createRequest(), undefined, remove)).status).toBe("denied");
});

test("a bearer token is invalid after its API token is revoked", async () => {
  const { rules, tokens, store } = openRules(false, {});
  const headers = { authorization: basic(tokens[0]?.token ?? "") };
  const { token } = await bearerFor(rules, headers, ["pull"]);
  await store.revoke(tokens[0]?.id ?? "", NOW, { actor: "admin" });
  const sentRequest = request({ authorization: `Bearer ${token}` });
  const access = { action: "pull", repository: APP } as const;
  expect(await createImageAuthorize(rules)(sentRequest, undefined, access)).toEqual({
    status: "anonymous",
    error: "invalid_token",
  });
});

test("a request looks its credentials up once, and its reads are decided once", async () => {
  const { rules, tokens, store } = openRules(false, { scopes: ["read", "write"] });
  const authorization = `Bearer ${tokens[0]?.token ?? ""}`;
  const { token: bearer } = await bearerFor(rules, { authorization }, ["pull", "push"]);
  const [findByPrefix, findById] = [vi.spyOn(store, "findByPrefix"), vi.spyOn(store, "findById")];
  const npm = createPackageAuthorize(rules, "npm");
  const nuget = createPackageAuthorize(rules, "nuget");
  const one = request({ authorization });
  const verdicts = [
    await npm(one, undefined, { action: "read", name: "acme" }),
    await npm(one, undefined, { action: "read", name: "acme" }),
    await npm(one, undefined, { action: "read" }),
    await npm(one, undefined, { action: "publish", name: "acme" }),
    await nuget(one, undefined, { action: "read", name: "acme" }),
  ];
  expect(verdicts.map(({ status }) => status)).toEqual(verdicts.map(() => "granted"));
  expect(verdicts[1]).toBe(verdicts[0]);
  expect(findByPrefix).toHaveBeenCalledTimes(1);
  await npm(request({ authorization }), undefined, { action: "read", name: "acme" });
  expect(findByPrefix).toHaveBeenCalledTimes(2);
  const images = createImageAuthorize(rules);
  const pull = request({ authorization: `Bearer ${bearer}` });
  for (const action of ["pull", "pull", "push"] as const) {
    const verdict = await images(pull, undefined, { action, repository: APP });
    expect(verdict.status).toBe("granted");
  }
  expect(findById).toHaveBeenCalledTimes(1);
});

test("a lookup that fails is tried again by the next decision of the request", async () => {
  const { rules, tokens, store } = openRules(false, { scopes: ["read"] });
  const authorize = createPackageAuthorize(rules, "npm");
  const sent = request({ authorization: `Bearer ${tokens[0]?.token ?? ""}` });
  const access = { action: "read", name: "acme" } as const;
  vi.spyOn(store, "findByPrefix").mockRejectedValueOnce(new Error("away"));
  await expect(authorize(sent, undefined, access)).rejects.toThrow("away");
  expect((await authorize(sent, undefined, access)).status).toBe("granted");
});

test("an anonymous bearer token allows the ping and pulls when pulling is public", async () => {
  const { rules } = openRules(true);
  const { token, refreshToken } = await bearerFor(rules, {}, ["pull", "push"]);
  expect(refreshToken).toBeUndefined();
  const createRequest = () => request({ authorization: `Bearer ${token}` });
  const authorize = createImageAuthorize(rules);
  expect((await authorize(createRequest(), undefined, { action: "pull" })).status).toBe("granted");
  const access = { action: "push", repository: APP } as const;
  expect(await authorize(createRequest(), undefined, access)).toMatchObject({
    error: "insufficient_scope",
  });
});

test.each([
  [{}, "refused"],
  [{ authorization: basic("wrong") }, "refused"],
])("no bearer token for %j when nothing is public", async (headers, status) => {
  const { rules } = openRules(false);
  const outcome = await createImageTokens(rules).issue({
    request: request(headers),
    env: undefined,
    grant: { type: "header" },
    scopes: [],
    offline: false,
    client: "test",
  });
  expect(outcome.status).toBe(status);
});

type Grant = Parameters<ReturnType<typeof createImageTokens>["issue"]>[0]["grant"];

function issueFor(rules: AccessRules, grant: Grant, scopes: string[] = []) {
  return createImageTokens(rules).issue({
    request: request(),
    env: undefined,
    grant,
    scopes: scopes.map((action) => ({ type: "repository", name: APP, actions: [action] })),
    offline: true,
    client: "test",
  });
}

async function refreshTokenFor(rules: AccessRules, password = ""): Promise<Grant> {
  const outcome = await issueFor(rules, { type: "password", username: "me", password });
  if (outcome.status !== "issued") throw new Error(outcome.status);
  return { type: "refresh_token", refreshToken: outcome.refreshToken ?? "" };
}

test("a refresh token issues the same bearer tokens as its API token", async () => {
  const { rules, tokens } = openRules(false, { scopes: ["read"] });
  const refresh = await refreshTokenFor(rules, tokens[0]?.token);
  for (let n = 0; n < 2; n += 1) {
    const outcome = await issueFor(rules, refresh, ["pull", "push"]);
    if (outcome.status !== "issued") throw new Error(outcome.status);
    expect(outcome.refreshToken).toBeUndefined();
    const sentRequest = request({ authorization: `Bearer ${outcome.token}` });
    const authorize = createImageAuthorize(rules);
    const pull = await authorize(sentRequest, undefined, { action: "pull", repository: APP });
    expect(pull).toMatchObject({ status: "granted", caller: { tokenId: tokens[0]?.id } });
    const push = await authorize(sentRequest, undefined, { action: "push", repository: APP });
    expect(push.status).toBe("denied");
  }
});

test("a refresh token works only at the token service and ends with its API token", async () => {
  const { rules, tokens, store } = openRules(false, {});
  const refresh = await refreshTokenFor(rules, tokens[0]?.token);
  const secret = refresh.type === "refresh_token" ? refresh.refreshToken : "";
  const sentRequest = request({ authorization: `Bearer ${secret}` });
  const access = { action: "pull", repository: APP } as const;
  expect((await createImageAuthorize(rules)(sentRequest, undefined, access)).status).toBe(
    "anonymous",
  );
  expect((await issueFor(rules, refresh)).status).toBe("issued");
  await store.revoke(tokens[0]?.id ?? "", NOW, { actor: "admin" });
  expect(await issueFor(rules, refresh)).toEqual({ status: "refused" });
});

test("neither a bearer token nor an API token is a refresh token", async () => {
  const { rules, tokens } = openRules(false, {});
  const token = tokens[0]?.token ?? "";
  const { token: bearer } = await bearerFor(rules, { authorization: basic(token) }, ["pull"]);
  for (const refreshToken of [bearer, token, "", "shr_x"]) {
    const outcome = await issueFor(rules, { type: "refresh_token", refreshToken });
    expect(outcome).toEqual({ status: "refused" });
  }
});

test("limits failed refresh tokens; a valid one still works", async () => {
  const { rules, tokens } = openRules(false, {});
  const refresh = await refreshTokenFor(rules, tokens[0]?.token);
  expect((await issueFor(rules, refresh)).status).toBe("issued");
  const guess = { type: "refresh_token", refreshToken: "guess" } as const;
  const outcomes = [];
  for (let n = 0; n < 31; n += 1) outcomes.push((await issueFor(rules, guess)).status);
  expect(outcomes.filter((status) => status === "refused")).toHaveLength(30);
  expect(outcomes.at(-1)).toBe("limited");
  expect((await issueFor(rules, refresh)).status).toBe("issued");
});

test("a caller without credentials gets no refresh token", async () => {
  const { rules } = openRules(true);
  const outcome = await issueFor(rules, { type: "header" });
  expect(outcome).not.toHaveProperty("refreshToken");
});
