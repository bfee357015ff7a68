import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { expect, test } from "vitest";
import { createNpmApp } from "../app.ts";
import type { AuthorizePackage } from "../ports.ts";
import { buildTarball } from "../testing/build-tarball.ts";
import { createMemoryNpmPorts } from "../testing/memory-ports.ts";
import type { PublishWish } from "../testing/publish-body.ts";
import { publishBody } from "../testing/publish-body.ts";
import { granted, json, put, registry, unreadable } from "../testing/registry.ts";

const DAY_MS = 24 * 60 * 60_000;

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

async function call(app: Hono, method: string, path: string, headers = {}): Promise<Answer> {
  const response = await app.request(`/npm/-/stage${path}`, { method, headers });
  const text = await response.text();
  const body = text === "" ? {} : (JSON.parse(text) as Answer["body"]);
  return { status: response.status, body };
}

async function stage(app: Hono, wish: PublishWish = {}): Promise<Answer> {
  const name = (wish.name ?? "demo").replace("/", "%2f");
  const request = { method: "POST", headers: json, body: publishBody(wish) };
  const response = await app.request(`/npm/-/stage/package/${name}`, request);
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function stagedId(app: Hono, wish: PublishWish = {}): Promise<string> {
  const { status, body } = await stage(app, wish);
  expect([status, body]).toMatchObject([201, { message: "Package version staged successfully." }]);
  return String(body["stageId"]);
}

test("stages, lists, shows, hands out and approves a version, in npm's words", async () => {
  const now = new Date("2026-11-22T10:00:00.000Z");
  const { app, ports } = registry({ now: () => now }, { now: () => now });
  const tarball = buildTarball({ name: "@acme/demo", version: "1.0.0" });
  const id = await stagedId(app, { name: "@acme/demo", tag: "next", tarball });
  expect((await app.request("/npm/@acme%2fdemo")).status).toBe(404);
  const shown = {
    id,
    packageName: "@acme/demo",
    version: "1.0.0",
    tag: "next",
    createdAt: now.toISOString(),
    actor: "tester",
    actorType: "user",
    access: "public",
    shasum: createHash("sha1").update(tarball).digest("hex"),
    status: "staged",
    expiresAt: new Date(now.getTime() + 30 * DAY_MS).toISOString(),
  };
  expect((await call(app, "GET", "")).body).toEqual({
    items: [shown],
    page: 0,
    perPage: 10,
    total: 1,
  });
  expect((await call(app, "GET", `/${id}`)).body).toEqual(shown);
  const sent = await app.request(`/npm/-/stage/${id}/tarball`);
  expect(sent.headers.get("cache-control")).toBe("no-store");
  expect(Buffer.from(await sent.arrayBuffer()).equals(tarball)).toBe(true);

  expect(await call(app, "POST", `/${id}/approve`)).toMatchObject({ status: 201 });
  const { dist } = (await (await app.request("/npm/@acme%2fdemo/1.0.0")).json()) as {
    dist: { integrity: string };
  };
  const sha512 = createHash("sha512").update(tarball).digest("base64");
  expect(dist.integrity).toBe(`sha512-${sha512}`);
  expect(ports.inspect.counted).toEqual(["push"]);
  expect(ports.inspect.blobs()).toHaveLength(1);
  expect((await call(app, "GET", `/${id}`)).status).toBe(404);
});

test("tells a build service that staged from a person", async () => {
  const actor = "GitHub Actions acme/demo (oidc:1de6f3db-2ed9-4d72-b3dd-8f0e2b474a2f)";
  const { app } = registry({ authorize: async () => granted(actor) });
  const id = await stagedId(app);
  const shown = { actor, actorType: "trusted automation" };
  expect((await call(app, "GET", `/${id}`)).body).toMatchObject(shown);
});

test("lists page by page, newest first, of all packages or of one", async () => {
  const { app } = registry();
  for (const version of ["1.0.0", "1.1.0", "1.2.0"]) await stagedId(app, { version });
  await stagedId(app, { name: "other" });
  const { body } = await call(app, "GET", "?page=1&perPage=2&package=demo");
  expect(body).toMatchObject({ items: [{ version: "1.0.0" }], page: 1, perPage: 2, total: 3 });
  expect((await call(app, "GET", "?perPage=100")).body).toMatchObject({ total: 4 });
  expect((await call(app, "GET", "?page=first")).status).toBe(400);
});

test("checks what is staged as a publish is, and keeps nothing of what it refuses", async () => {
  const { app, ports } = registry({}, { tarballBytesMax: 1000 });
  const hidden = { scripts: { postinstall: "steal" } };
  const tarball = buildTarball({ name: "demo", version: "1.0.0", manifest: hidden });
  expect((await stage(app, { tarball })).status).toBe(422);
  expect((await stage(app, { tarball: Buffer.from("no tarball") })).status).toBe(422);
  expect((await stage(app, { overrides: { name: "other" } })).status).toBe(400);
  expect((await stage(app, { overrides: { _attachments: {} } })).status).toBe(400);
  expect((await stage(app, { tarball: Buffer.alloc(2000) })).status).toBe(413);
  expect((await stage(app, { provenance: "{}" })).status).toBe(422);
  expect(ports.inspect).toMatchObject({ counted: [] });
  expect([ports.inspect.blobs(), ports.inspect.staged()]).toEqual([[], 0]);
});

test("gives the reason when a version is not staged, and discards its bytes", async () => {
  const { app, ports } = registry({}, { stagedPerPackage: 2 });
  await put(app, { name: "demo" });
  const exists = await stage(app, {});
  expect(exists.status).toBe(403);
  expect(exists.body["error"]).toMatch(/^You cannot publish over .*: 1\.0\.0\.$/);
  const id = await stagedId(app, { version: "2.0.0" });
  expect(await stagedId(app, { version: "2.0.0" })).toBe(id);
  const other = await stage(app, { version: "2.0.0", manifest: { description: "other" } });
  expect(other.status).toBe(403);
  expect(other.body["error"]).toMatch(/demo@2\.0\.0 is staged already, by tester/);
  await stagedId(app, { version: "3.0.0" });
  const full = await stage(app, { version: "4.0.0" });
  expect(full.body["error"]).toMatch(/^2 versions of demo are staged/);
  expect(ports.inspect.blobs()).toHaveLength(3);
});

test("names the limit that a publisher or the registry has reached", async () => {
  const memory = createMemoryNpmPorts();
  const refusing = (status: "publisher-full" | "crowded") =>
    createNpmApp(
      { ...memory, staging: { ...memory.staging, stage: async () => ({ status }) } },
      { anonymousRead: true, basePath: "/npm" },
    );
  const own = await stage(refusing("publisher-full"));
  expect(own.status).toBe(403);
  expect(own.body["error"]).toBe(
    "1,000 versions that you staged wait, which is the most of one publisher: " +
      "approve or reject some (npm stage list).",
  );
  const all = await stage(refusing("crowded"));
  expect([all.status, String(all.body["error"])]).toMatchObject([
    403,
    expect.stringMatching(/^The registry has reached its limit of staged versions/),
  ]);
});

test("answers 403 with the known phrase when the number is taken by now", async () => {
  const { app } = registry();
  const id = await stagedId(app);
  await put(app, { name: "demo", manifest: { description: "faster" } });
  const { status, body } = await call(app, "POST", `/${id}/approve`);
  expect(status).toBe(403);
  expect(body["error"]).toMatch(/^You cannot publish over the previously published versions: 1/);
  expect((await call(app, "DELETE", `/${id}`)).status).toBe(204);
  expect((await call(app, "DELETE", `/${id}`)).status).toBe(404);
});

test("asks for a second step to approve and to reject, and not to stage", async () => {
  const { app, ports } = registry({ accounts: { stepUp: true } });
  const id = await stagedId(app);
  for (const [method, path] of [
    ["POST", `/${id}/approve`],
    ["DELETE", `/${id}`],
  ] as const) {
    const { status, body } = await call(app, method, path, { "npm-auth-type": "web" });
    expect([status, Object.keys(body)]).toEqual([401, ["error", "message", "authUrl", "doneUrl"]]);
  }
  expect(await ports.staging.list()).toHaveLength(1);
  const confirmed = { "npm-otp": "confirmed" };
  expect((await call(app, "POST", `/${id}/approve`, confirmed)).status).toBe(201);
});

test("explains staging to a caller who may only stage, and refuses approvals", async () => {
  const only: AuthorizePackage = async (_request, _env, { action }) =>
    action === "stage" || action === "read"
      ? granted("ci", "t-1")
      : { status: "denied", reason: "This token does not have the scope write." };
  const { app } = registry({ authorize: only });
  const refused = await put(app, { name: "demo" });
  expect(refused.status).toBe(403);
  const { error } = (await refused.json()) as { error: string };
  expect(error).toMatch(/scope write.*npm stage publish/);
  const id = await stagedId(app);
  expect((await call(app, "POST", `/${id}/approve`)).status).toBe(403);
  expect((await call(app, "DELETE", `/${id}`)).status).toBe(403);
  expect((await call(app, "GET", "")).body).toMatchObject({ total: 1 });
});

test("hides a name from callers who may not stage it, and reads no body", async () => {
  const narrow: AuthorizePackage = async (request, _env, { action, name = "own" }) => {
    const mine = request.headers.get("authorization") === "mine";
    if (mine || (action === "stage" && name === "own")) return granted("somebody", "t-1");
    return { status: "denied", reason: "This token does not cover the name." };
  };
  const { app, ports } = registry({ authorize: narrow });
  const publication = publishBody({ name: "hidden" });
  const headers = { ...json, authorization: "mine" };
  const request = { method: "POST", headers, body: publication };
  const staged = await app.request("/npm/-/stage/package/hidden", request);
  const { stageId } = (await staged.json()) as { stageId: string };
  const paths = [
    ["GET", ""],
    ["GET", "/tarball"],
    ["POST", "/approve"],
    ["DELETE", ""],
  ] as const;
  for (const [method, rest] of paths) {
    const { status, body } = await call(app, method, `/${stageId}${rest}`);
    const unknown = await call(app, method, `/00000000-0000-4000-8000-000000000000${rest}`);
    expect([status, body]).toEqual([unknown.status, unknown.body]);
    expect(status).toBe(404);
  }
  expect((await call(app, "GET", "")).body).toMatchObject({ items: [], total: 0 });
  const body = unreadable();
  const unread = new Request("http://registry.test/npm/-/stage/package/hidden", {
    method: "POST",
    headers: json,
    body,
    duplex: "half",
  });
  expect((await app.request(unread)).status).toBe(403);
  expect(await ports.staging.list()).toHaveLength(1);
});

test.each([
  ["GET", "/not-a-uuid", 404],
  ["GET", "/00000000-0000-4000-8000-000000000000/else", 404],
  ["GET", "/00000000-0000-4000-8000-000000000000/tarball/more", 404],
  ["PUT", "", 405],
  ["GET", "/package/demo", 405],
  ["POST", "/package/%00", 400],
  ["POST", "/package/demo/more", 400],
])("%s /-/stage%s answers %i", async (method, path, status) => {
  const { app } = registry();
  expect((await call(app, method, path)).status).toBe(status);
});

test.each(["@acme%2fdemo", "@acme%2Fdemo", "@acme/demo", "%40acme%2fdemo", "@acme%252fdemo"])(
  "knows a package by the address %s",
  async (address) => {
    const { app, ports } = registry();
    const request = { method: "POST", headers: json, body: publishBody({ name: "@acme/demo" }) };
    const response = await app.request(`/npm/-/stage/package/${address}`, request);
    expect(response.status).toBe(201);
    expect((await ports.staging.list()).map(({ name }) => name)).toEqual(["@acme/demo"]);
  },
);
