import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildTarball } from "../testing/build-tarball.ts";
import { publishBody } from "../testing/publish-body.ts";
import { json, put, registry, unreadable, withDemo } from "../testing/registry.ts";

test("answers a repeated upload with 200 and another one with the known phrase", async () => {
  const { app } = await withDemo();
  expect((await put(app, { name: "@acme/demo" })).status).toBe(200);
  const tarball = buildTarball({ name: "@acme/demo", files: { other: "x" } });
  const refused = await put(app, { name: "@acme/demo", tarball });
  expect(refused.status).toBe(403);
  const text = "You cannot publish over the previously published versions: 1.0.0.";
  expect(await refused.json()).toEqual({ error: text, message: text });
});

test("reads a gzipped body", async () => {
  const { app } = registry();
  const headers = { ...json, "content-encoding": "gzip" };
  const body = gzipSync(publishBody());
  expect((await app.request("/npm/demo", { method: "PUT", headers, body })).status).toBe(200);
});

test.each<[string, string, RequestInit, number, RegExp]>([
  ["no JSON type", "demo", { body: publishBody(), headers: {} }, 415, /application\/json/],
  ["another name", "other", { body: publishBody() }, 400, /about "demo"/],
  ["a broken body", "demo", { body: "{" }, 400, /not valid JSON/],
  [
    "no gzip",
    "demo",
    { body: "{", headers: { ...json, "content-encoding": "gzip" } },
    400,
    /encoding/,
  ],
  [
    "a zstd body",
    "demo",
    { body: "{", headers: { ...json, "content-encoding": "zstd" } },
    400,
    /encoding/,
  ],
  ["a refused tarball", "demo", { body: publishBody({ tarball: Buffer.from("x") }) }, 422, /gzip/],
  [
    "a version without its tarball",
    "demo",
    { body: '{"versions":{"1.0.0":{}}}' },
    400,
    /no tarball of it/,
  ],
  ["a deprecation of nothing", "demo", { body: '{"versions":{}}' }, 404, /Not found/],
  ["an unpublish of nothing", "demo/-rev/1-a", { body: '{"versions":{}}' }, 404, /Not found/],
  ["an owner of nothing", "demo/-rev/1-a", { body: ownersBody("a") }, 404, /Not found/],
  ["no owner", "demo/-rev/1-a", { body: ownersBody() }, 403, /must keep an owner/],
  ["a nameless owner", "demo/-rev/1-a", { body: ownersBody(" ") }, 400, /needs a name/],
  ["a publish of a revision", "demo/-rev/1-a", { body: publishBody() }, 400, /no other change/],
  ["nothing known", "demo", { body: "{}" }, 400, /no tarball/],
  ["a deletion of nothing", "demo/-rev/1-a", { method: "DELETE" }, 404, /Not found/],
  ["a deletion of something else", "demo/1.0.0", { method: "DELETE" }, 404, /npm unpublish demo/],
  ["a POST", "demo", { method: "POST", body: "{}" }, 405, /POST/],
  ["a PUT of a version", "demo/1.0.0", { body: "{}" }, 405, /PUT/],
  ["a PUT of the root", "", { body: "{}" }, 405, /PUT/],
  ["no password", "-/user/org.couchdb.user:a", { body: "{}" }, 400, /no password/],
  ["a POST to ping", "-/ping", { method: "POST", body: "{}" }, 405, /POST/],
  ["all tags at once", "-/package/demo/dist-tags", { body: "{}" }, 405, /PUT/],
])("refuses %s and leaves nothing behind", async (_, ...[address, init, status, text]) => {
  const { app, ports } = registry();
  const response = await app.request(`/npm/${address}`, { method: "PUT", headers: json, ...init });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({
    error: expect.stringMatching(text),
    message: expect.stringMatching(text),
  });
  expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([0, 0]);
});

test("refuses another version without its tarball, and changes nothing", async () => {
  const { app } = await withDemo();
  const read = async () => (await app.request("/npm/@acme%2fdemo?write=true")).json();
  const before = (await read()) as { readonly versions: object };
  const versions = { ...before.versions, "2.0.0": { name: "@acme/demo", version: "2.0.0" } };
  const body = JSON.stringify({ ...before, versions, _attachments: {} });
  const answer = await app.request("/npm/@acme%2fdemo", { method: "PUT", headers: json, body });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: expect.stringMatching(/describes @acme\/demo@2\.0\.0, .*no tarball of it/) },
  ]);
  expect(await read()).toEqual(before);
});

test("takes files that differ only in letter case, with a notice", async () => {
  const { app } = registry();
  const tarball = buildTarball({ files: { "lib/a.js": "1", "Lib/A.js": "2" } });
  const answer = await put(app, { tarball });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("npm-notice")).toMatch(/"package\/Lib\/A\.js" and another file differ/);
  const { dist } = (await (await app.request("/npm/demo/1.0.0")).json()) as { dist: object };
  expect(dist).toMatchObject({ fileCount: 3 });
  expect((await put(app, { name: "other" })).headers.get("npm-notice")).toBeNull();
});

test("refuses a body that says it is too large before it reads it", async () => {
  const { app } = registry({}, { tarballBytesMax: 1000 });
  const headers = { ...json, "content-length": "99999999" };
  const response = await app.request("/npm/demo", {
    method: "PUT",
    headers,
    body: unreadable(),
    duplex: "half",
  });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(/larger than/) });
});

test("refuses a tarball that turns out to be too large", async () => {
  const { app, ports } = registry({}, { tarballBytesMax: 1000 });
  const response = await put(app, { tarball: Buffer.alloc(1001) });
  expect(response.status).toBe(413);
  expect(ports.inspect.blobs()).toEqual([]);
});

test("sets, moves and removes dist-tags", async () => {
  const { app } = await withDemo();
  await put(app, { name: "@acme/demo", version: "2.0.0-rc.1", tag: "next" });
  const tags = "/npm/-/package/@acme%2fdemo/dist-tags";
  const send = (method: string, tag: string, body?: string) =>
    app.request(`${tags}/${tag}`, { method, headers: json, ...(body !== undefined && { body }) });
  expect((await send("PUT", "stable", '"1.0.0"')).status).toBe(200);
  expect((await send("POST", "stable", '"2.0.0-rc.1"')).status).toBe(200);
  const all = { latest: "1.0.0", next: "2.0.0-rc.1", stable: "2.0.0-rc.1" };
  expect(await (await app.request(tags)).json()).toEqual(all);
  expect((await send("DELETE", "stable")).status).toBe(200);
  expect(await (await app.request(tags)).json()).toEqual({ latest: "1.0.0", next: "2.0.0-rc.1" });

  expect((await send("DELETE", "stable")).status).toBe(404);
  expect((await send("DELETE", "latest")).status).toBe(403);
  expect((await send("PUT", "1.x", '"1.0.0"')).status).toBe(400);
  expect((await send("PUT", "a%2Fb", '"1.0.0"')).status).toBe(400);
  expect((await send("PUT", "stable", '"9.9.9"')).status).toBe(404);
  expect((await send("PUT", "stable", '"^1.0.0"')).status).toBe(400);
  expect((await send("PUT", "stable", "1.0.0")).status).toBe(400);
  expect((await send("PUT", "stable", `"${"1".repeat(5000)}"`)).status).toBe(413);
  expect((await send("PATCH", "stable", '"1.0.0"')).status).toBe(405);
});

function ownersBody(...names: readonly string[]): string {
  return JSON.stringify({ maintainers: names.map((name) => ({ name, email: "" })) });
}
