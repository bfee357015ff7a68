import type { Hono } from "hono";
import { expect, test } from "vitest";
import type { Action, AuthorizePackage } from "../ports.ts";
import { granted, json, put, registry, withDemo } from "../testing/registry.ts";

const address = "/npm/@acme%2fdemo";
const dayMs = 24 * 60 * 60 * 1000;

type Document = {
  readonly _rev: string;
  readonly "dist-tags": Record<string, string>;
  readonly versions: Record<string, Record<string, unknown>>;
  readonly [field: string]: unknown;
};

test("deprecates by what differs in `deprecated`, whatever else the body says", async () => {
  const { app } = await withDemo();
  const before = await read(app);
  const echoed = {
    ...before,
    users: { mallory: true },
    _attachments: {},
    maintainers: [{ name: "mallory" }],
    "dist-tags": { latest: "9.9.9" },
    time: {},
    versions: {
      "1.0.0": { ...before.versions["1.0.0"], dist: {}, dependencies: {}, deprecated: "use 2" },
    },
  };
  const response = await send(app, "PUT", "", echoed);
  expect([response.status, await response.json()]).toEqual([200, { success: true }]);
  const after = await read(app);
  expect(after.versions).toEqual({
    "1.0.0": { ...before.versions["1.0.0"], deprecated: "use 2" },
  });
  expect(unchangedPart(after)).toEqual(unchangedPart(before));

  const { deprecated: _, ...bare } = after.versions["1.0.0"] ?? {};
  await send(app, "PUT", "", { ...after, versions: { "1.0.0": bare } });
  expect((await read(app)).versions).toEqual(before.versions);
  await send(app, "PUT", "", withText(before, "again"));
  await send(app, "PUT", "", withText(before, ""));
  expect((await read(app)).versions).toEqual(before.versions);
  const long = await send(app, "PUT", "", withText(before, "x".repeat(8193)));
  expect([long.status, await long.text()]).toEqual([400, expect.stringContaining("shorten it")]);
});

test("takes a packument back that is larger than what a publish may be", async () => {
  const { app } = registry();
  const description = "x".repeat(900_000);
  for (const patch of Array.from({ length: 10 }, (_, index) => index)) {
    const version = `1.0.${patch}`;
    expect(
      (await put(app, { name: "@acme/demo", version, manifest: { description } })).status,
    ).toBe(200);
  }
  const body = await read(app);
  const response = await send(app, "PUT", "", { ...body, versions: body.versions });
  expect(response.status).toBe(200);
  const padded = { ...body, padding: "x".repeat(40_000_000) };
  expect((await send(app, "PUT", "", padded)).status).toBe(413);
}, 60_000);

test("takes stars of every kind and keeps none", async () => {
  const { app } = await withDemo();
  const before = await read(app);
  const star = { _id: "@acme/demo", _rev: before["_rev"], users: { alice: true } };
  expect((await send(app, "PUT", "", star)).status).toBe(200);
  const whole = { ...before, users: { alice: true } };
  expect((await send(app, "PUT", `/-rev/${before["_rev"]}`, whole)).status).toBe(201);
  expect(await read(app)).toEqual(before);
  const stars = await app.request("/npm/-/_view/starredByUser?key=%22alice%22");
  expect(await stars.json()).toEqual({ rows: [] });
  const direct = ["/npm/-/user/v1/star", "/npm/-/user/package/@acme%2fdemo/star"];
  for (const url of direct) {
    expect((await app.request(url, { method: "PUT", headers: json, body: "{}" })).status).toBe(404);
  }
});

test("unpublishes the versions that the body leaves out", async () => {
  const { app, ports } = await withDemo();
  await put(app, { name: "@acme/demo", version: "1.1.0" });
  const before = await read(app);
  const remainder = { ...before, versions: { "1.0.0": before.versions["1.0.0"] } };
  const response = await send(app, "PUT", `/-rev/${before["_rev"]}`, remainder);
  expect([response.status, await response.json()]).toEqual([201, { ok: true }]);
  const after = await read(app);
  expect([Object.keys(after.versions), after["dist-tags"]]).toEqual([
    ["1.0.0"],
    { latest: "1.0.0" },
  ]);
  expect((await app.request(`${address}/-/demo-1.1.0.tgz`)).status).toBe(404);
  const second = `/-/demo-1.1.0.tgz/-rev/${after["_rev"]}`;
  for (const path of ["/npm/@acme/demo", "/npm/npm/@acme/demo", "/npm/me/demo", "/npm/%"]) {
    const url = path + second;
    const removed = await app.request(url, { method: "DELETE" });
    expect([removed.status, await removed.json()]).toEqual([200, { ok: true }]);
  }
  expect(await read(app)).toEqual(after);

  const again = await put(app, { name: "@acme/demo", version: "1.1.0" });
  expect(again.status).toBe(403);
  expect(await again.text()).toMatch(
    /You cannot publish over the previously published versions: 1\.1\.0\. It was unpublished/,
  );
  expect(ports.inspect.blobs()).toHaveLength(2);
});

test("keeps everything when the document was an older one, or names other versions", async () => {
  const { app } = await withDemo();
  const old = await read(app);
  await put(app, { name: "@acme/demo", version: "1.1.0" });
  const before = await read(app);
  const conflict = { error: "Document update conflict.", message: "Document update conflict." };
  const owners = { maintainers: [{ name: "bob" }] };
  const attempts = [
    await send(app, "PUT", `/-rev/${old["_rev"]}`, old),
    await send(app, "PUT", `/-rev/${old["_rev"]}`, owners),
    await app.request(`${address}/-rev/${old["_rev"]}`, { method: "DELETE" }),
  ];
  for (const response of attempts) {
    expect([response.status, await response.json()]).toEqual([409, conflict]);
  }
  const strange = { versions: { "1.0.0": {}, "7.0.0": {} } };
  const refused = await send(app, "PUT", `/-rev/${before["_rev"]}`, strange);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("does not have"),
  ]);
  expect(await read(app)).toEqual(before);
});

test("unpublishes a whole package, and holds its name for a day", async () => {
  let actor = "alice";
  let now = Date.parse("2030-01-01T00:00:00Z");
  const clock = () => new Date(now);
  const authorize: AuthorizePackage = async () => granted(actor, "t");
  const { app } = await withDemo({ authorize, now: clock }, { now: clock });
  const { _rev: revision } = await read(app);
  const response = await app.request(`${address}/-rev/${revision}`, { method: "DELETE" });
  expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
  expect((await app.request(address)).status).toBe(404);

  actor = "bob";
  const refused = await put(app, { name: "@acme/demo", version: "2.0.0" });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("reserved for its former publisher until 2030-01-02T00:00:00.000Z"),
  ]);
  now += dayMs;
  expect((await put(app, { name: "@acme/demo", version: "1.0.0" })).status).toBe(403);
  expect((await put(app, { name: "@acme/demo", version: "2.0.0" })).status).toBe(200);
});

test("lets only an administrator unpublish after some days", async () => {
  let rights: readonly Action[] = ["read", "publish", "write", "delete"];
  let now = Date.parse("2030-01-01T00:00:00Z");
  const clock = () => new Date(now);
  const { app } = await withDemo({ authorize: allowing(() => rights) }, { now: clock });
  const { _rev: revision } = await read(app);
  const unpublish = () => app.request(`${address}/-rev/${revision}`, { method: "DELETE" });
  now += 3 * dayMs + 1;
  const refused = await unpublish();
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringMatching(/1\.0\.0 was published 2030-01-01.*scope admin.*npm deprecate/),
  ]);
  rights = [...rights, "admin"];
  expect((await unpublish()).status).toBe(200);
});

test("unpublishes with the right to delete, changes owners with that to write", async () => {
  let rights: readonly Action[] = ["read", "publish", "write"];
  const { app } = await withDemo({ authorize: allowing(() => rights) });
  await put(app, { name: "@acme/demo", version: "1.1.0" });
  const document = await read(app);
  const url = `/-rev/${document["_rev"]}`;
  const remainder = { ...document, versions: { "1.0.0": {} } };
  expect((await send(app, "PUT", url, remainder)).status).toBe(403);
  expect((await app.request(`${address}${url}`, { method: "DELETE" })).status).toBe(403);
  rights = ["read", "delete"];
  expect((await send(app, "PUT", url, { maintainers: [{ name: "bob" }] })).status).toBe(403);
  expect((await send(app, "PUT", "", document)).status).toBe(403);
  expect((await read(app))["_rev"]).toBe(document["_rev"]);
  expect((await send(app, "PUT", url, remainder)).status).toBe(201);
});

function allowing(rights: () => readonly Action[]): AuthorizePackage {
  return async (_, _env, { action }) =>
    rights().includes(action)
      ? granted("alice", "t")
      : { status: "denied", reason: `This token does not have the scope ${action}.` };
}

async function read(app: Hono): Promise<Document> {
  return (await (await app.request(`${address}?write=true`)).json()) as Document;
}

async function send(app: Hono, method: string, rest: string, body: unknown): Promise<Response> {
  const text = JSON.stringify(body);
  const headers = { ...json, "content-length": String(Buffer.byteLength(text)) };
  return app.request(`${address}${rest}`, { method, headers, body: text });
}

function withText(document: Document, deprecated: string) {
  return { ...document, versions: { "1.0.0": { ...document.versions["1.0.0"], deprecated } } };
}

/** Everything but the versions and what a change always moves. */
function unchangedPart({ versions: _versions, _rev: _revision, time, ...rest }: Document) {
  return { ...rest, time: { ...(time as object), modified: undefined } };
}
