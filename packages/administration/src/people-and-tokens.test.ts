import { ADMINISTRATIVE_SCOPES } from "@sealhouse/identity";
import type { AdministrationAuthorize } from "@sealhouse/identity";
import {
  createMemoryPasskeys,
  createMemoryPeople,
  createMemoryTokenStore,
  newPerson,
  TEST_PEPPER,
} from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { createAdministrationApi } from "./api/index.ts";
import type { AdministrationApiOptions } from "./api/index.ts";
import { loadActions } from "./groups.ts";
import type { AdministrationRows } from "./parts.ts";

const by = { actor: "test" };
const now = () => new Date("2026-03-01T00:00:00Z");

/** The API over rows in memory. `call` has a token with this scope. */
async function open() {
  const people = createMemoryPeople();
  const tokens = createMemoryTokenStore();
  for (const [handle, role] of [
    ["root", "administrator"],
    ["ada", "administrator"],
    ["bob", "publisher"],
  ] as const) {
    await people.people.add(newPerson(handle, role), now(), by);
  }
  const rows = { ...people, tokens, passkeys: createMemoryPasskeys() };
  const parts = {
    rows: async () => rows as unknown as AdministrationRows,
    pepper: async () => TEST_PEPPER,
    groupProblem: () => undefined,
  };
  const authorize: AdministrationAuthorize = async (request, _env, { scope }) => {
    const held = request.headers.get("authorization");
    return held === scope || held === "admin"
      ? { status: "granted", caller: by }
      : { status: "denied", reason: `The token lacks the scope ${scope}.` };
  };
  const options = { parts, authorize, now, version: "0.0.0", baseOf: () => "" };
  const actions = await loadActions();
  // Nothing here has an idempotency key or lasts long.
  const unused = { unavailable: () => undefined } as unknown as AdministrationApiOptions;
  const app = createAdministrationApi({ ...unused, ...options, actions });
  return async (scope: string, line: string, body?: object) => {
    const [method = "", path = ""] = line.split(" ");
    const type = { "content-type": "application/json" };
    const response = await app.request(`/api/admin/v1${path}`, {
      method,
      headers: { authorization: scope, "if-match": "*", ...(body && type) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

test("a token that creates tokens gives neither administration nor the names of all", async () => {
  const call = await open();
  const outcomes = [
    [{ user: "bob", scopes: "read,write" }, 201],
    [{ user: "ada", scopes: "read" }, 403],
    [{ user: "ada", scopes: "admin" }, 403],
    ...ADMINISTRATIVE_SCOPES.map((scope) => [{ user: "ada", scopes: scope }, 403] as const),
    [{ scopes: "read" }, 403],
    [{ user: "bob", scopes: "admin" }, 422],
    [{ user: "bob", scopes: "anything" }, 422],
    [{ user: "carol" }, 404],
  ] as const;
  for (const [wanted, status] of outcomes) {
    const answer = await call("tokens:write", "POST /tokens", { name: "ci", ...wanted });
    expect.soft(answer.status, JSON.stringify(wanted)).toBe(status);
  }
  expect((await call("admin", "POST /tokens", { name: "ci", scopes: "admin" })).status).toBe(201);
});

test("a token that creates tokens replaces none that allows more, and revokes all", async () => {
  const call = await open();
  for (const [user, status] of [
    [{}, 403],
    [{ user: "ada" }, 403],
    [{ user: "bob" }, 200],
  ] as const) {
    const { body } = await call("admin", "POST /tokens", { name: "ci", ...user });
    const path = `/tokens/${String(body["id"])}`;
    const replaced = await call("tokens:write", `POST ${path}/replace`, {});
    expect.soft(replaced.status, JSON.stringify(user)).toBe(status);
    const revoked = await call("tokens:write", `POST ${path}/revoke`);
    expect.soft(revoked.body).toMatchObject({ outcome: "revoked" });
  }
});

test("pages of tokens have all of them once, and never a value or a hash", async () => {
  const call = await open();
  const values: unknown[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) {
    const { body } = await call("admin", "POST /tokens", { name, scopes: "read" });
    values.push(body["token"]);
  }
  const names: string[] = [];
  for (let query = "limit=2"; query !== "";) {
    const { body } = await call("tokens:write", `GET /tokens?${query}`);
    const items = body["items"] as readonly Record<string, unknown>[];
    names.push(...items.map(({ name }) => String(name)));
    expect(JSON.stringify(body)).not.toMatch(/"hash"/);
    expect(values.some((value) => JSON.stringify(body).includes(String(value)))).toBe(false);
    query = typeof body["next"] === "string" ? `limit=2&after=${body["next"]}` : "";
  }
  expect(names.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  expect((await call("tokens:write", "GET /tokens?after=x")).status).toBe(422);
});

test("a token that changes people changes no administrator, and makes none", async () => {
  const call = await open();
  const outcomes = [
    ["POST /users", { handle: "eve", role: "administrator" }, 403],
    ["POST /users", { handle: "eve", role: "publisher" }, 201],
    ["PUT /users/bob/role", { role: "administrator" }, 403],
    ["PUT /users/bob/role", { role: "groups" }, 403],
    ["PUT /users/bob/role", { role: "consumer" }, 200],
    ["PUT /users/ada/role", { role: "consumer" }, 403],
    ["PUT /users/ada/state", { action: "block" }, 403],
    ["PUT /users/bob/state", { action: "block", reason: "two\nlines" }, 422],
    ["PUT /users/bob/state", { action: "block", reason: "Left." }, 200],
    ["DELETE /users/ada/passkeys", undefined, 403],
    ["DELETE /users/bob/passkeys", undefined, 200],
    ["POST /users", { handle: "bob" }, 409],
    ["POST /teams", { handle: "Web" }, 422],
    ["POST /teams", { handle: "web" }, 201],
    ["PUT /teams/web/members/eve", { level: "manager" }, 200],
    ["POST /accounts", { name: "deploy", team: "none" }, 404],
    ["POST /accounts", { name: "deploy", team: "web" }, 201],
    ["PUT /accounts/deploy/state", { state: "blocked" }, 200],
  ] as const;
  for (const [line, body, status] of outcomes) {
    expect.soft((await call("people:write", line, body)).status, line).toBe(status);
  }
});
