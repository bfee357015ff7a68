import { expect, test } from "vitest";
import { createNuGetApp } from "../app.ts";
import type { TokenExchange } from "../ports.ts";
import { createMemoryNuGetPorts } from "../testing/memory-ports.ts";

const exchange: TokenExchange = async (_request, _env, { idToken, username }) =>
  idToken === "l.i.m"
    ? { status: "limited", retryAfterSeconds: 2 }
    : idToken === "e.y.J" && username === "ci-bot"
      ? { status: "issued", apiKey: "shp_key", expiresAt: new Date("2026-01-01T00:15:00Z") }
      : { status: "refused", reason: "No policy fits." };

const headers = {
  authorization: "Bearer e.y.J",
  "content-type": "application/json; charset=utf-8",
  "user-agent": "actions/http-client",
};
const body = JSON.stringify({ username: "ci-bot", tokenType: "ApiKey" });

function ask(init: { readonly headers?: object; readonly body?: string; readonly off?: boolean }) {
  const { ports } = createMemoryNuGetPorts();
  const app = createNuGetApp({ ...ports, ...(!init.off && { exchange }) });
  return app.request("/api/v2/token", {
    method: "POST",
    headers: { ...headers, ...init.headers },
    body: init.body ?? body,
  });
}

test("gives an API key as the action NuGet/login reads it", async () => {
  const answer = await ask({});
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await answer.json()).toEqual({
    tokenType: "ApiKey",
    expires: "2026-01-01T00:15:00.000Z",
    apiKey: "shp_key",
  });
});

test.each([
  ["no ID token", { headers: { authorization: "" } }, 401],
  ["an API key", { headers: { authorization: "Basic x" } }, 401],
  ["two headers", { headers: { authorization: "Bearer e.y.J, Bearer e.y.J" } }, 401],
  ["another ID token", { headers: { authorization: "Bearer x.y.z" } }, 401],
  ["an ID token of a limited network", { headers: { authorization: "Bearer l.i.m" } }, 429],
  ["an unknown user", { body: '{"username":"x","tokenType":"ApiKey"}' }, 401],
  ["another type of body", { headers: { "content-type": "text/plain" } }, 415],
  ["no type of body", { headers: { "content-type": "" } }, 415],
  ["an empty body", { body: "" }, 400],
  ["a body that is no object", { body: "null" }, 400],
  ["no user", { body: '{"tokenType":"ApiKey"}' }, 400],
  ["another type of token", { body: '{"username":"ci-bot","tokenType":"Bearer"}' }, 400],
  ["no exchange", { off: true }, 404],
] as const)("refuses a request with %s", async (_what, init, status) => {
  const answer = await ask(init);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ error: expect.stringMatching(/\w\.$/) as string });
  expect(answer.headers.get("retry-after")).toBe(status === 429 ? "2" : null);
  expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
});
