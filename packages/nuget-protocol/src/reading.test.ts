import type { PackageVerdict } from "@sealhouse/request-types";
import { createHash, randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildNupkg } from "./testing/build-nupkg.ts";
import { createTestFeed } from "./testing/test-feed.ts";

test("lists every version, lower-cased and ascending, unlisted ones too", async () => {
  const feed = createTestFeed();
  await feed.fill("Acme.Widgets", "1.10.0", "1.9.0", "2.0.0-Beta.1+x");
  await feed.app.request("/api/v2/package/Acme.Widgets/1.9.0", { method: "DELETE" });
  expect(await feed.json("/v3/package/ACME.widgets/index.json")).toEqual({
    versions: ["1.9.0", "1.10.0", "2.0.0-beta.1"],
  });
});

test("shows minClientVersion as the author wrote it, in the registration, too", async () => {
  const feed = createTestFeed();
  const nuspec = `<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
    <metadata minClientVersion="3.3"><id>Acme.Recent</id><version>1.0.0</version>
    <authors>acme</authors><description>Needs a recent client.</description></metadata></package>`;
  await feed.push(buildNupkg({ id: "Acme.Recent", version: "1.0.0", nuspec }));
  const path = "/v3/registration-gz-semver2/acme.recent/index.json";
  const answer = await feed.get(path);
  expect(answer.status).toBe(200);
  const body = Buffer.from(await answer.arrayBuffer());
  const isGzip = body.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]));
  const index: unknown = JSON.parse(String(isGzip ? gunzipSync(body) : body));
  const catalogEntry = { id: "Acme.Recent", minClientVersion: "3.3" };
  expect(index).toMatchObject({ items: [{ items: [{ catalogEntry }] }] });
});

test("gives the package and its manifest byte for byte, under any spelling", async () => {
  const feed = createTestFeed();
  const bytes = buildNupkg({ id: "Acme.Widgets", version: "1.0-Beta" });
  await feed.push(bytes);
  for (const path of [
    "/v3/package/acme.widgets/1.0.0-beta/acme.widgets.1.0.0-beta.nupkg",
    "/v3/package/Acme.Widgets/1.0-BETA/Acme.Widgets.1.0-BETA.nupkg",
    "/v3/package/acme.widgets/1.0.0.0-beta/ACME.WIDGETS.1.0.0-beta.nupkg",
    "/v3/package/acme.widgets/1.0.0-beta%2Bmeta/acme.widgets.1.0.0-beta.nupkg",
    // Where clients of the older protocol download.
    "/api/v2/package/Acme.Widgets/1.0-Beta",
    "/api/v2/package/acme.widgets/1.0.0-beta",
  ]) {
    const response = await feed.get(path);
    expect(response.status, path).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("etag")).toBe(
      `"${createHash("sha256").update(bytes).digest("hex")}"`,
    );
  }
  const nuspec = await feed.get("/v3/package/acme.widgets/1.0.0-beta/acme.widgets.nuspec");
  expect(nuspec.headers.get("content-type")).toBe("application/xml");
  const nuspecBytes = Buffer.from(await nuspec.arrayBuffer());
  const storedPackage = await feed.ports.lookup.find("acme.widgets", "1.0.0-beta");
  expect(nuspecBytes.toString()).toContain("<id>Acme.Widgets</id>");
  expect(nuspecBytes.equals(storedPackage?.nuspec ?? Buffer.of())).toBe(true);
  const versioned = "/v3/package/acme.widgets/1.0.0-beta/Acme.Widgets.1.0.0-Beta.nuspec";
  const served = Buffer.from(await (await feed.get(versioned)).arrayBuffer());
  expect(nuspecBytes.equals(served)).toBe(true);
  const other = "/v3/package/acme.widgets/1.0.0-beta/acme.widgets.2.0.0.nuspec";
  expect((await feed.get(other)).status).toBe(404);
});

test.each([
  "/v3/package/unknown/index.json",
  "/v3/package/a..b/index.json",
  "/v3/package/acme/9.9.9/acme.9.9.9.nupkg",
  "/v3/package/acme/nonsense/acme.nonsense.nupkg",
  "/v3/package/acme/1.0.0/other.1.0.0.nupkg",
  "/v3/package/acme/1.0.0/acme.2.0.0.nupkg",
  "/v3/package/acme/1.0.0/acme.1.0.0.zip",
  "/v3/package/acme/9.9.9/acme.nuspec",
  "/v3/registration/unknown/index.json",
  "/v3/registration-gz/unknown/index.json",
  "/v3/registration-gz-semver2/unknown/index.json",
  "/v3/registration/acme/9.9.9.json",
  "/v3/registration/acme/page/8.0.0/9.0.0.json",
  "/v3/registration-other/acme/index.json",
  "/api/v2/package/acme/9.9.9",
  "/api/v2/package/acme/nonsense",
  "/v3/certificates/ff.crt",
  `/v3/certificates/${"f".repeat(64)}.crt`,
])("answers 404 for %s", async (path) => {
  const feed = createTestFeed();
  await feed.fill("acme", "1.0.0");
  const response = await feed.get(path);
  expect(response.status).toBe(404);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
});

test("serves both hives, gzip-encoded on request and plain otherwise", async () => {
  const feed = createTestFeed();
  await feed.fill("Acme", "1.0.0", "2.0.0", "2.1.0-a.b");
  for (const [hive, count] of [
    ["registration", 2],
    ["registration-gz", 2],
    ["registration-gz-semver1", 2],
    ["registration-semver2", 3],
    ["registration-gz-semver2", 3],
  ] as const) {
    const path = `/v3/${hive}/acme/index.json`;
    expect(await feed.json(path)).toMatchObject({ count: 1, items: [{ count }] });
    const zipped = await feed.get(path, { "accept-encoding": "gzip, deflate" });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    const plain: unknown = JSON.parse(
      gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString(),
    );
    expect(plain).toMatchObject({ count: 1, items: [{ count }] });
  }
});

test("answers HEAD and conditional requests for documents and packages", async () => {
  const feed = createTestFeed();
  await feed.fill("acme", "1.0.0");
  for (const path of [
    "/v3/registration/acme/index.json",
    "/v3/registration-gz-semver1/acme/index.json",
    "/v3/registration-gz-semver2/acme/index.json",
    "/v3/registration-gz-semver2/acme/1.0.0.json",
    "/v3/registration-gz-semver2/acme/page/1.0.0/1.0.0.json",
    "/v3/package/acme/index.json",
    "/v3/package/acme/1.0.0/acme.1.0.0.nupkg",
    "/v3/index.json",
  ]) {
    const head = await feed.app.request(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const etag = head.headers.get("etag") ?? "";
    const same = await feed.get(path, { "if-none-match": etag });
    expect([same.status, await same.text()]).toEqual([304, ""]);
  }
});

test("gives each encoding of a gzip hive its own entity tag", async () => {
  const feed = createTestFeed();
  await feed.fill("acme", "1.0.0");
  for (const hive of ["registration-gz-semver1", "registration-gz-semver2"]) {
    const path = `/v3/${hive}/acme/index.json`;
    const plain = await feed.get(path);
    const zipped = await feed.get(path, { "accept-encoding": "gzip" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(zipped.headers.get("vary")).toBe("Accept-Encoding");
    const [plainTag, other] = [plain, zipped].map((response) => response.headers.get("etag") ?? "");
    expect(plainTag).not.toBe(other);
    for (const etag of [plainTag, other]) {
      const headers = { "accept-encoding": "gzip", "if-none-match": etag ?? "" };
      const same = await feed.get(path, headers);
      expect([same.status, same.headers.get("etag")]).toEqual([304, etag]);
    }
    const head = await feed.app.request(path, {
      method: "HEAD",
      headers: { "accept-encoding": "gzip" },
    });
    expect(head.headers.get("content-encoding")).toBe("gzip");
    expect(head.headers.get("content-length")).toBe(zipped.headers.get("content-length"));
  }
});

test("names the file of a download, whatever casing and spelling was asked for", async () => {
  const feed = createTestFeed();
  await feed.fill("Acme.Widgets", "1.0-Beta+x");
  const path = "/v3/package/ACME.Widgets/1.0.0.0-BETA/ACME.Widgets.1.0-beta.nupkg";
  for (const method of ["GET", "HEAD"]) {
    const response = await feed.app.request(path, { method });
    expect(response.headers.get("content-disposition")).toBe(
      'attachment; filename="acme.widgets.1.0.0-beta.nupkg"',
    );
  }
});

test("shows advisories in the registration, and looks up none for an unknown id", async () => {
  const idLists: (readonly string[])[] = [];
  const feed = createTestFeed({
    advisories: {
      state: async () => undefined,
      page: async () => new Map(),
      variant: () => undefined,
      async of(ids) {
        idLists.push(ids);
        const url = "https://advisories.example/1";
        return new Map([["acme", [{ severity: 2, url, versions: "[1.0.0, 2.0.0)" }]]]);
      },
    },
  });
  await feed.fill("Acme", "1.0.0", "2.0.0");
  expect((await feed.get("/v3/registration/unknown/index.json")).status).toBe(404);
  expect(idLists).toEqual([]);
  const expected = [[{ advisoryUrl: "https://advisories.example/1", severity: "2" }], undefined];
  for (const path of ["index.json", "page/1.0.0/2.0.0.json"]) {
    const vulnerabilities: unknown[] = [];
    const response = await feed.get(`/v3/registration-gz-semver2/acme/${path}`);
    JSON.parse(await response.text(), (key, value: { vulnerabilities?: unknown }) => {
      if (key === "catalogEntry") vulnerabilities.push(value.vulnerabilities);
      return value;
    });
    expect(vulnerabilities).toEqual(expected);
  }
  expect(idLists).toEqual([["acme"], ["acme"]]);
});

test("splits a long history into pages: every link of the index has its page", async () => {
  const feed = createTestFeed();
  await feed.fill("acme", ...Array.from({ length: 130 }, (_, minor) => `1.${minor}.0`));
  const index = (await feed.json("/v3/registration-gz-semver2/acme/index.json")) as {
    items: { "@id": string; count: number; items?: unknown }[];
  };
  expect(index.items.map((page) => page.count)).toEqual([64, 64, 2]);
  for (const page of index.items) {
    expect(page.items).toBeUndefined();
    expect(await feed.json(new URL(page["@id"]).pathname)).toMatchObject({
      "@id": page["@id"],
      count: page.count,
    });
  }
  const documentCount = feed.documents.keys().length;
  const older = await feed.json("/v3/registration-gz-semver2/acme/page/1.64.0/1.100.0.json");
  expect(older).toMatchObject({ count: 37 });
  expect(feed.documents.keys()).toHaveLength(documentCount);
});

test("reads of a long history only what a document describes", async () => {
  const feed = createTestFeed();
  await feed.fill("acme", ...Array.from({ length: 130 }, (_, minor) => `1.${minor}.0`));
  const read: number[] = [];
  const { lookup } = feed.ports;
  const watched = createTestFeed({
    ...feed.ports,
    lookup: {
      ...lookup,
      async versions(id, only) {
        const records = await lookup.versions(id, only);
        read.push(records.length);
        return records;
      },
    },
  });
  const hive = "/v3/registration-gz-semver2/acme";
  await watched.json("/v3/package/acme/index.json");
  await watched.json("/v3/autocomplete?id=acme");
  await watched.json(`${hive}/index.json`);
  expect(read).toEqual([]);
  await watched.json(`${hive}/page/1.64.0/1.127.0.json`);
  await watched.json(`${hive}/1.5.0.json`);
  expect(read).toEqual([64, 1]);
});

test("reads the catalog once per change and document, and again after each change", async () => {
  const feed = createTestFeed();
  await feed.fill("acme", "1.0.0");
  let reads = 0;
  const counting = createTestFeed({
    ...feed.ports,
    lookup: {
      ...feed.ports.lookup,
      summaries: async (id) => {
        reads += 1;
        return feed.ports.lookup.summaries(id);
      },
    },
  });
  const versions = async () => counting.json("/v3/package/acme/index.json");
  for (let request = 0; request < 5; request++) await versions();
  expect(reads).toBe(1);
  await feed.fill("acme", "2.0.0");
  expect(await versions()).toEqual({ versions: ["1.0.0", "2.0.0"] });
  expect(reads).toBe(2);
});

test("stores nothing for an address that a client can invent", async () => {
  const feed = createTestFeed({
    address: (request) => ({ base: new URL(request.url).origin, cacheable: false }),
  });
  await feed.fill("acme", "1.0.0");
  const response = await feed.app.request(
    "https://made-up.example/v3/registration/acme/index.json",
  );
  expect(await response.text()).toContain("https://made-up.example/v3/registration/acme/");
  expect(feed.documents.keys()).toEqual([]);
});

test("counts whole downloads and their beginnings, and nothing else", async () => {
  const feed = createTestFeed();
  await feed.push(buildNupkg({ id: "Acme", version: "1.0.0", files: { a: randomBytes(500) } }));
  const path = "/v3/package/acme/1.0.0/acme.1.0.0.nupkg";
  const whole = await feed.get(path);
  await feed.get(path, { range: "bytes=0-99" });
  await feed.get(path, { range: "bytes=100-199" });
  await feed.get(path, { "if-none-match": whole.headers.get("etag") ?? "" });
  await feed.app.request(path, { method: "HEAD" });
  await feed.get("/v3/package/acme/1.0.0/acme.nuspec");
  await feed.get("/v3/package/acme/2.0.0/acme.2.0.0.nupkg");
  expect(feed.counted).toEqual(["push", "pull acme 1.0.0", "pull acme 1.0.0"]);
});

const REFUSALS: readonly (readonly [string, PackageVerdict, number, Record<string, string>])[] = [
  ["anonymous", { status: "anonymous" }, 401, { "www-authenticate": 'Basic realm="Sealhouse"' }],
  ["denied", { status: "denied", reason: "expired" }, 401, { "x-nuget-warning": "expired" }],
  ["limited", { status: "limited", retryAfterSeconds: 7.2 }, 429, { "retry-after": "8" }],
];

test.each(REFUSALS)("answers %s readers of a private feed", async (_, verdict, status, headers) => {
  const feed = createTestFeed({ authorize: async () => verdict });
  for (const path of [
    "/v3/package/acme/index.json",
    "/v3/package/acme/1.0.0/acme.1.0.0.nupkg",
    "/v3/registration/acme/index.json",
    "/v3/search?q=acme",
    "/v3/autocomplete?q=acme",
    "/v3/autocomplete?id=acme",
  ]) {
    const response = await feed.get(path);
    expect(response.status, path).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  }
});

test("asks for permission by the lower-cased id, before it looks anything up", async () => {
  const accesses: unknown[] = [];
  const feed = createTestFeed({
    authorize: async (_request, _env, access) => {
      accesses.push(access);
      return { status: "anonymous" };
    },
    lookup: {
      summaries: () => Promise.reject(new Error("looked up")),
      versions: () => Promise.reject(new Error("looked up")),
      find: () => Promise.reject(new Error("looked up")),
    },
  });
  await feed.get("/v3/package/Acme.Widgets/index.json");
  await feed.get("/v3/registration/Acme.Widgets/index.json");
  await feed.get("/v3/package/Acme.Widgets/1.0.0/acme.widgets.1.0.0.nupkg");
  await feed.get("/v3/autocomplete?id=Acme.Widgets");
  await feed.get("/v3/search");
  const readAccess = { action: "read", name: "acme.widgets" };
  expect(accesses).toEqual([readAccess, readAccess, readAccess, readAccess, { action: "read" }]);
});
