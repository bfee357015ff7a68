import type { Hono } from "hono";
import { expect, test } from "vitest";
import { createNpmApp } from "../app.ts";
import type { AuthorizePackage } from "../ports.ts";
import { createMemoryNpmTeams } from "../testing/memory-teams.ts";
import { granted, json, put, registry, withDemo } from "../testing/registry.ts";

const endpoint = "/npm/-/package/@acme%2fdemo";

test("lists, adds and removes owners, and keeps the last one", async () => {
  const { app } = await withDemo({ authorize: async () => granted("alice", "t") });
  const first = await document(app);
  expect(first.maintainers).toEqual([{ name: "alice", email: "" }]);
  const both = [...first.maintainers, { name: "tester", email: "tester@example.com" }];
  const added = await setOwners(app, first["_rev"], both);
  expect([added.status, await added.json()]).toEqual([201, { ok: true }]);
  const second = await document(app);
  expect(second.maintainers).toEqual(both);
  expect(await get(app, `${endpoint}/collaborators`)).toEqual({
    alice: "read-write",
    tester: "read-write",
  });
  const nobody = await setOwners(app, second["_rev"], [...both, { name: "nobody" }]);
  expect([nobody.status, await nobody.text()]).toEqual([
    400,
    expect.stringContaining("There is no account"),
  ]);
  const emptied = await setOwners(app, second["_rev"], []);
  expect([emptied.status, await emptied.text()]).toEqual([
    403,
    expect.stringContaining("must keep an owner"),
  ]);
  expect(
    (
      await setOwners(
        app,
        second["_rev"],
        Array.from({ length: 101 }, () => ({ name: "x" })),
      )
    ).status,
  ).toBe(400);
  expect((await document(app)).maintainers).toEqual(both);
});

test.each([
  [true, "public", 200, ""],
  [true, "restricted", 200, ""],
  [false, "restricted", 200, ""],
  [false, "public", 403, "no package can be public"],
] as const)(
  "where anonymous reading is %s, access %s answers %i",
  async (anonymousRead, access, status, text) => {
    const { app } = await withDemo({}, { anonymousRead });
    const response = await post(app, `${endpoint}/access`, { access });
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(text),
    ]);
    const isPublic = anonymousRead && access === "public";
    expect(await get(app, `${endpoint}/visibility`)).toEqual({ public: isPublic });
    const expected = {
      access: isPublic ? "public" : "restricted",
      publish_requires_tfa: false,
    };
    expect(await get(app, `${endpoint}/access`)).toEqual(expected);
    const other = await app.request(`${endpoint}/access`, { method: "DELETE" });
    expect([other.status, other.headers.get("allow")]).toEqual([405, "GET, POST"]);
    expect((await app.request("/npm/-/package/unknown/access")).status).toBe(404);
  },
);

test("reports that it has no second factor", async () => {
  const { app } = await withDemo();
  const off = await post(app, `${endpoint}/access`, { publish_requires_tfa: false });
  expect(off.status).toBe(200);
  const on = await post(app, `${endpoint}/access`, { publish_requires_tfa: true });
  expect([on.status, await on.text()]).toEqual([403, expect.stringContaining("second factor")]);
  for (const body of [{ access: "secret" }, [], "x"]) {
    expect((await post(app, `${endpoint}/access`, body)).status).toBe(400);
  }
  const broken = await app.request(`${endpoint}/access`, {
    method: "POST",
    headers: json,
    body: "{",
  });
  expect(broken.status).toBe(400);
  const unknown = await post(app, "/npm/-/package/unknown/access", { access: "public" });
  expect(unknown.status).toBe(404);
});

test("takes a scope for an organisation with one team", async () => {
  const { app } = await withDemo();
  await put(app, { name: "@acme/other" });
  await put(app, { name: "plain" });
  const packages = { "@acme/demo": "write", "@acme/other": "write" };
  expect(await get(app, "/npm/-/org/acme/package")).toEqual(packages);
  expect(await get(app, "/npm/-/team/acme/developers/package?format=cli")).toEqual(packages);
  expect(await get(app, "/npm/-/user/tester/package")).toEqual({ ...packages, plain: "write" });
  expect(await get(app, "/npm/-/org/acme/user")).toEqual({ tester: "developer" });
  expect(await get(app, "/npm/-/org/acme/team?format=cli")).toEqual(["acme:developers"]);
  expect(await get(app, "/npm/-/team/acme/developers/user?format=cli")).toEqual(["tester"]);
  for (const url of ["org/unknown/package", "team/acme/others/user", "org/acme", "org/acme/x"]) {
    expect([url, (await app.request(`/npm/-/${url}`)).status]).toEqual([url, 404]);
  }
});

test("grants and revokes the rights of a team", async () => {
  const { ports } = await withDemo();
  const { teams, addTeam } = createMemoryNpmTeams((name) => ports.lookup.has(name));
  await addTeam("web", ["ada"]);
  const app = createNpmApp({ ...ports, teams }, { anonymousRead: true, basePath: "/npm" });
  const change = async (method: string, body: object) => {
    const init = { method, headers: json, body: JSON.stringify(body) };
    return (await app.request("/npm/-/team/acme/web/package", init)).status;
  };
  const demo = { package: "@acme/demo" };
  expect(await change("PUT", { ...demo, permissions: "read-only" })).toBe(200);
  expect(await get(app, "/npm/-/team/acme/web/package")).toEqual({ "@acme/demo": "read" });
  expect(await get(app, "/npm/-/team/acme/web/user")).toEqual(["ada"]);
  expect(await get(app, "/npm/-/org/acme/team")).toEqual(["acme:developers", "acme:web"]);
  expect(await change("PUT", { package: "@acme/unknown", permissions: "read-only" })).toBe(404);
  expect(await change("DELETE", demo)).toBe(200);
  expect(await get(app, "/npm/-/org/acme/team")).toEqual(["acme:developers"]);
});

test("shows of a scope what the caller may read, and what he may do with it", async () => {
  const refused = new Set<string | undefined>();
  const authorize: AuthorizePackage = async (_, _env, { action, name }) =>
    refused.has(`${action} ${name}`) ? { status: "denied", reason: "no" } : granted("tester", "t");
  const { app } = registry({ authorize });
  for (const name of ["@acme/hidden", "@acme/demo", "@acme/fixed"]) await put(app, { name });
  refused.add("read @acme/hidden").add("write @acme/fixed");
  const shown = { "@acme/demo": "write", "@acme/fixed": "read" };
  expect(await get(app, "/npm/-/org/acme/package")).toEqual(shown);
});

test.each([
  ["PUT", "org/acme/user", { user: "bob", role: "admin" }],
  ["DELETE", "org/acme/user", { user: "bob" }],
  ["PUT", "org/acme/team", { name: "new" }],
  ["DELETE", "team/acme/developers", {}],
  ["PUT", "team/acme/developers/user", { user: "bob" }],
  ["PUT", "team/acme/developers/package", { package: "@acme/demo", permissions: "read-only" }],
  ["DELETE", "team/acme/developers/package", { package: "@acme/demo" }],
])("refuses %s %s with a text that names who may do it", async (method, url, body) => {
  const { app } = await withDemo();
  const response = await app.request(`/npm/-/${url}`, {
    method,
    headers: json,
    body: JSON.stringify(body),
  });
  const text = expect.stringContaining("sealhouse token create");
  expect([response.status, await response.json()]).toEqual([403, { error: text, message: text }]);
});

type Owned = {
  readonly _rev: string;
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
};

async function document(app: Hono): Promise<Owned> {
  return (await get(app, "/npm/@acme%2fdemo")) as Owned;
}

async function get(app: Hono, url: string): Promise<unknown> {
  return (await app.request(url)).json();
}

async function post(app: Hono, url: string, body: unknown): Promise<Response> {
  return app.request(url, { method: "POST", headers: json, body: JSON.stringify(body) });
}

async function setOwners(
  app: Hono,
  revision: string,
  maintainers: readonly unknown[],
): Promise<Response> {
  const body = JSON.stringify({ _id: "@acme/demo", _rev: revision, maintainers });
  return app.request(`/npm/@acme%2fdemo/-rev/${revision}`, { method: "PUT", headers: json, body });
}
