import { gzipSync } from "node:zlib";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { readOfRequest } from "./routes/read-of-request.ts";
import { createNpmApp } from "./app.ts";
import type { NpmPorts } from "./ports.ts";
import { buildTarball } from "./testing/build-tarball.ts";
import { json, put, registry, withDemo } from "./testing/registry.ts";

const abbreviated = {
  accept: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*",
};
const path = "/npm/@acme%2fdemo";

test.each(["npm", "pnpm", "yarn"] as const)("serves what %s published", async (style) => {
  const { app } = registry();
  const tarball = buildTarball({ name: "@acme/demo" });
  const published = await put(app, { style, name: "@acme/demo", tarball });
  expect([published.status, await published.json()]).toEqual([200, { success: true }]);

  const document = await (await app.request(path)).json();
  const address = "http://registry.test/npm/@acme/demo/-/demo-1.0.0.tgz";
  expect(document).toMatchObject({
    name: "@acme/demo",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { dist: { tarball: address, fileCount: 2 } } },
  });
  const response = await app.request(address);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(tarball);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-length": String(tarball.length),
    "cache-control": "public, immutable, max-age=31536000",
    "accept-ranges": "bytes",
  });
});

test("answers every spelling of a name with the same document", async () => {
  const { app } = await withDemo();
  const spellings = [
    "@acme%2fdemo",
    "@acme%2Fdemo",
    "@acme/demo",
    "%40acme/demo",
    "@acme%252fdemo",
  ];
  const tags = await Promise.all(
    spellings.map(async (name) => (await app.request(`/npm/${name}`)).headers.get("etag")),
  );
  expect(new Set(tags).size).toBe(1);
  expect(tags[0]).toMatch(/^"[\w-]+"$/);
});

test("serves both forms of the packument, with headers that caches can live with", async () => {
  const { app } = await withDemo();
  const full = await app.request(path);
  const short = await app.request(path, { headers: abbreviated });
  expect(full.headers.get("content-type")).toBe("application/json");
  expect(short.headers.get("content-type")).toBe("application/vnd.npm.install-v1+json");
  expect(full.headers.get("etag")).not.toBe(short.headers.get("etag"));
  const body = await short.text();
  expect(JSON.parse(body)).toMatchObject({ time: { "1.0.0": expect.any(String) } });
  expect(short.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
  for (const { headers } of [full, short]) {
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    expect(headers.get("vary")).toMatch(/accept/i);
  }
});

test("answers 304 for a known document, with the same caching headers", async () => {
  const { app } = await withDemo();
  const etag = (await app.request(path)).headers.get("etag") ?? "";
  const again = await app.request(path, { headers: { "if-none-match": `W/${etag}` } });
  expect(again.status).toBe(304);
  expect(again.headers.get("vary")).toMatch(/accept/i);
  expect(again.headers.get("cache-control")).toBe("public, max-age=300");
});

test("refuses old dist-tags for all callers", async () => {
  const { app } = await withDemo();
  const { headers } = await app.request("/npm/-/package/@acme%2fdemo/dist-tags");
  expect(headers.get("cache-control")).toBe("public, no-cache");
});

test("keeps documents of a private registry out of shared caches", async () => {
  const { app } = await withDemo({}, { anonymousRead: false });
  const { headers } = await app.request(path);
  expect(headers.get("cache-control")).toBe("private, max-age=60");
  expect(headers.get("vary")).toMatch(/authorization/i);
});

test("shows a new version at once, and in ?write=true uncached with its revision", async () => {
  const { app } = await withDemo();
  const before = await app.request(path);
  await put(app, { name: "@acme/demo", version: "1.1.0" });
  const after = await app.request(path);
  expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
  expect(await after.json()).toMatchObject({ versions: { "1.0.0": {}, "1.1.0": {} } });
  const uncached = await app.request(`${path}?write=true`);
  expect(uncached.headers.get("cache-control")).toBe("no-store");
  expect(await uncached.json()).toMatchObject({ _rev: expect.stringMatching(/^\d+-/) });
});

test("keeps the rendering where a host can find it, one for each public address", async () => {
  let base = "http://registry.test/npm";
  let cacheable = true;
  const { app, ports } = await withDemo({ address: () => ({ base, cacheable }) });
  await app.request(path);
  const keyOf = () => {
    const read = readOfRequest(path, undefined, { basePath: "/npm", base });
    return read?.type === "document" ? read.document.key : "";
  };
  expect((await ports.documents.read(keyOf()))?.contentType).toBe("application/json");

  base = "https://other.test/npm";
  cacheable = false;
  const other = await (await app.request(path)).json();
  expect(other).toMatchObject({
    versions: { "1.0.0": { dist: { tarball: `${base}/@acme/demo/-/demo-1.0.0.tgz` } } },
  });
  expect(await ports.documents.read(keyOf())).toBeUndefined();
});

test.each([
  ["/npm/@acme%2fdemo/1.0.0", 200, { version: "1.0.0", dist: { fileCount: 2 } }],
  ["/npm/@acme/demo/latest", 200, { version: "1.0.0" }],
  ["/npm/-/package/@acme%2fdemo/dist-tags", 200, { latest: "1.0.0" }],
  ["/npm/@acme/demo/2.0.0", 404, { error: "version not found: 2.0.0" }],
  ["/npm/@acme/demo/beta", 404, { error: "version not found: beta" }],
  ["/npm/unknown", 404, { error: "Not found" }],
  ["/npm/-/package/unknown/dist-tags", 404, { error: "Not found" }],
  ["/npm/@acme/demo/-/demo-2.0.0.tgz", 404, { error: "Not found" }],
  ["/npm/@acme/demo/-/other-1.0.0.tgz", 404, { error: "Not found" }],
  ["/npm/@acme/demo/-/demo-1.0.0.zip", 404, { error: "Not found" }],
  ["/npm/@acme/demo/1.0.0/more", 404, { error: "Not found" }],
  ["/npm/@a/-", 404, { error: "Not found" }],
  ["/npm/%00", 400, { error: expect.stringMatching(/no such address/) }],
  ["/npm/__proto__", 400, {}],
  ["/npm/demo/%zz", 400, {}],
  ["/npm/-/ping", 200, {}],
  ["/npm/-/ping?write=true", 200, {}],
  ["/npm/-/whoami", 200, { username: "tester" }],
  ["/npm/", 200, { db_name: "registry" }],
  ["/npm/-/npm/v1/keys", 404, { error: "This registry does not sign packages." }],
  ["/npm/-/package/@acme%2fdemo/nothing", 404, {}],
  ["/npm/-/user/org.couchdb.user:alice", 404, { error: expect.stringMatching(/Unknown user/) }],
  ["/npm/-/user/org.couchdb.user:tester", 200, { name: "tester", email: "" }],
  ["/npm/-/user/token/shp_x/y", 404, { error: "This registry has no /-/user/token" }],
  ["/npm/-/npm/v1/tokens/token/shp_x/y", 404, { error: "This registry has no /-/npm/v1/tokens" }],
  ["/npm/-/npm/v1/user", 200, { name: "tester", tfa: false }],
  ["/npm/-/v1/done?sessionId=x", 403, { error: expect.stringMatching(/start again/) }],
  ["/elsewhere/demo", 404, { error: "Not found" }],
])("GET and HEAD %s answer %i", async (address, status, body) => {
  const { app } = await withDemo();
  const response = await app.request(address);
  const text = await response.text();
  expect(response.status).toBe(status);
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  expect(JSON.parse(text)).toMatchObject(body);

  const head = await app.request(address, { method: "HEAD" });
  expect(head.status).toBe(status);
  expect(head.headers.get("content-length")).toBe(response.headers.get("content-length"));
  expect(await head.text()).toBe("");
});

test.each([
  ["/npm/@acme/demo/-/demo-1.0.0.tgz"],
  ["/npm/@acme%2fdemo/-/demo-1.0.0.tgz"],
  ["/npm/@acme/demo/-/@acme/demo-1.0.0.tgz"],
  ["/npm/@acme/demo/-/demo-1.0.0%2Bbuild.5.tgz"],
])("finds the tarball at %s and counts one pull", async (address) => {
  const { app, ports } = await withDemo();
  expect((await app.request(address, { method: "HEAD" })).status).toBe(200);
  const part = await app.request(address, { headers: { range: "bytes=4-7" } });
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 4]);
  const whole = await app.request(address);
  const headers = { "if-none-match": whole.headers.get("etag") ?? "" };
  expect((await app.request(address, { headers })).status).toBe(304);
  expect(ports.inspect.counted).toEqual(["push", "pull @acme/demo@1.0.0"]);
});

test("answers npm install without advisories when there are none", async () => {
  const { app } = registry();
  const response = await app.request("/npm/-/npm/v1/security/advisories/bulk", {
    method: "POST",
    headers: { ...json, "content-encoding": "gzip" },
    body: gzipSync('{"demo":["1.0.0"]}'),
  });
  expect([response.status, await response.json()]).toEqual([200, {}]);
});

test("works below a host, and leaves the host's own errors to the host", async () => {
  const { ports } = await withDemo();
  const broken: NpmPorts = {
    ...ports,
    search: {
      search: async () => {
        throw new Error("database is down");
      },
    },
  };
  const host = new Hono();
  host.route("/npm", createNpmApp(broken, { anonymousRead: true, basePath: "/npm" }));
  host.onError((error, c) => c.text(`host: ${error.message}`, 500));
  host.get("/other", (c) => c.text("other"));
  expect((await host.request(path)).status).toBe(200);
  expect((await host.request("/npm")).status).toBe(200);
  expect((await host.request("/npm/unknown")).status).toBe(404);
  expect(await (await host.request("/npm/-/v1/search?text=x")).text()).toBe(
    "host: database is down",
  );
  expect(await (await host.request("/other")).text()).toBe("other");
});
