import {
  createBearerTokens,
  createRefreshTokens,
  openAuthenticator,
  createImageAuthorize,
  createImageTokens,
  openRequestDecisions,
} from "@sealhouse/identity";
import {
  TEST_PEPPER,
  createMemoryRefreshTokens,
  createMemoryTokenStore,
  createTestRandom,
  createTestToken,
} from "@sealhouse/identity/testing";
import { createOciApp, digestOf } from "@sealhouse/oci-distribution";
import { createMemoryOciPorts } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import type { AccessRules } from "../wiring/access/access.ts";
import { createRequestContexts } from "@sealhouse/http-server";

const START = new Date("2026-03-01T00:00:00Z");
const SECONDS = 1_000;

/** A registry whose tokens last for the 60 seconds that are the least. */
function openRegistry(lifetimeSeconds = 60) {
  const { token: secret, record } = createTestToken({ scopes: ["read", "write"] }, START);
  const clock = { now: START };
  const now = () => clock.now;
  const tokens = createMemoryTokenStore([record]);
  const identity = { tokens, pepper: TEST_PEPPER, now, random: createTestRandom() };
  const rules: AccessRules = {
    authenticator: openAuthenticator(identity),
    bearerTokens: createBearerTokens({ ...identity, issuer: "i", service: "s", lifetimeSeconds }),
    refreshTokens: createRefreshTokens({ ...identity, store: createMemoryRefreshTokens() }),
    contexts: createRequestContexts({
      trustedProxies: ["::1"],
      publicBaseUrls: [],
      openDecisions: openRequestDecisions,
    }),
    anonymousPull: false,
    now,
  };
  const access = { authorize: createImageAuthorize(rules), tokens: createImageTokens(rules) };
  const app = createOciApp(createMemoryOciPorts({ access }), { service: "s" });
  const after = (seconds: number) => {
    clock.now = new Date(START.getTime() + seconds * SECONDS);
  };
  const bearer = async (scope = "repository:team/app:pull,push") => {
    const headers = { authorization: `Basic ${Buffer.from(`me:${secret}`).toString("base64")}` };
    const answer = await app.request(`/token?scope=${encodeURIComponent(scope)}`, { headers });
    const { token, expires_in } = (await answer.json()) as { token: string; expires_in: number };
    return { authorization: `Bearer ${token}`, expires_in };
  };
  return { app, after, bearer };
}

test("an upload may outlive its token, and the next request gets a challenge", async () => {
  const { app, after, bearer } = openRegistry();
  const { expires_in, ...headers } = await bearer();
  expect(expires_in).toBe(60);
  const started = await app.request("/v2/team/app/blobs/uploads/", { method: "POST", headers });
  const session = started.headers.get("location") ?? "";
  const parts = ["one", "two", "three"].map((part) => new TextEncoder().encode(part));
  const body = new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      // The first part is on its way in time; the others come when the token is long dead.
      if (parts.length === 1) after(600);
      if (part) controller.enqueue(part);
      else controller.close();
    },
  });
  const patch = { method: "PATCH", headers, body, duplex: "half" } as const;
  const patched = await app.request(session, patch);
  expect(patched.status).toBe(202);
  expect(patched.headers.get("range")).toBe("0-10");

  const digest = digestOf(Buffer.from("onetwothree"));
  const close = `${session}?digest=${digest}`;
  const late = await app.request(close, { method: "PUT", headers });
  expect(late.status).toBe(401);
  expect(late.headers.get("www-authenticate")).toContain(
    'scope="repository:team/app:pull,push",error="invalid_token"',
  );
  const { authorization } = await bearer();
  const closed = await app.request(close, { method: "PUT", headers: { authorization } });
  expect(closed.status).toBe(201);
});

test.each([
  [59, 200],
  [119, 200],
  [121, 401],
])("after %i seconds a token of 60 seconds gets %i", async (seconds, status) => {
  const { app, after, bearer } = openRegistry();
  const { authorization } = await bearer();
  after(seconds);
  const answer = await app.request("/v2/", { headers: { authorization } });
  expect(answer.status).toBe(status);
});

const repository = (name: string, ...actions: string[]) => [{ type: "repository", name, actions }];
const HOSTILE: readonly (readonly [string, readonly object[]])[] = [
  ["repository:team/app:pull,push,delete,admin,__proto__", repository("team/app", "pull", "push")],
  [`repository:team/app:${"pull,".repeat(1_000)}`, repository("team/app", "pull")],
  ["repository:team/app:* repository:team/app:push", repository("team/app", "pull", "push")],
  ["repository:host:5000/a/b:pull", repository("host:5000/a/b", "pull")],
  [`repository:${"a/".repeat(1_000)}b:pull`, []],
  ["repository:other:delete", []],
  ["registry:catalog:*", [{ type: "registry", name: "catalog", actions: ["*"] }]],
  ["registry:other:* plugin:team/app:pull __proto__:team/app:pull", []],
  [":::  ::  repository:: \u0000", []],
];

test.each(HOSTILE)("the scope %.60j grants %j", async (scope, access) => {
  const { bearer } = openRegistry();
  const { authorization } = await bearer(scope);
  const claims = Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString();
  expect(JSON.parse(claims)).toMatchObject({ access });
});

test("refuses more than a hundred scopes, and other methods", async () => {
  const { app } = openRegistry();
  const scopes = Array.from({ length: 101 }, (_, n) => `scope=repository:r${n}:pull`).join("&");
  expect((await app.request(`/token?${scopes}`)).status).toBe(400);
  const put = await app.request("/token", { method: "PUT" });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
});
