import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { NuGetPorts } from "../ports.ts";
import type { Seal } from "../stored-package.ts";
import type { HashableFiles } from "../provenance/ports.ts";
import { buildNupkg, sourceOf } from "../testing/build-nupkg.ts";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { unreadFiles } from "../testing/memory-provenance.ts";
import { newPackage, testCaller } from "../testing/new-package.ts";
import type { TestFeed } from "../testing/test-feed.ts";
import { createTestFeed } from "../testing/test-feed.ts";
import type { CatalogEvent, CatalogPorts } from "./write-catalog.ts";
import { writeCatalog } from "./write-catalog.ts";

const AT = new Date("2026-02-03T04:05:06.789Z");

type Item = Readonly<Record<string, unknown>> & { readonly "@id": string };
type Listing = Item & { readonly items: readonly Item[] };

function event(id: number, type: string, subject: string): CatalogEvent {
  return { id: String(id), type, subject: `nuget/${subject}`, at: AT };
}

type CatalogFeed = TestFeed & Pick<CatalogPorts, "catalog" | "digests">;

function openFeed(overrides: Partial<NuGetPorts> = {}): CatalogFeed {
  const memory = createMemoryCatalog();
  const { catalog, digests, documents } = memory;
  return { ...createTestFeed({ ...memory, ...overrides }), catalog, digests, documents };
}

function portsOf(feed: CatalogFeed, hashable: HashableFiles = unreadFiles): CatalogPorts {
  const { lookup, provenance } = feed.ports;
  return { lookup, provenance, catalog: feed.catalog, digests: feed.digests, hashable };
}

async function linked(feed: TestFeed, url: string): Promise<Response> {
  expect(url).toMatch(/^https:\/\/feed\.example\/v3\/catalog\//);
  return feed.get(new URL(url).pathname);
}

async function follow(feed: TestFeed, url: string): Promise<Listing> {
  const response = await linked(feed, url);
  expect(response.status).toBe(200);
  return (await response.json()) as Listing;
}

async function leaves(feed: TestFeed): Promise<readonly Item[]> {
  const index = await follow(feed, "https://feed.example/v3/catalog/index.json");
  const pages = await Promise.all(index.items.map((page) => follow(feed, page["@id"])));
  const items = pages.flatMap((page) => page.items);
  return Promise.all(items.map((item) => follow(feed, item["@id"])));
}

test("an empty catalog is an index without pages", async () => {
  const feed = openFeed();
  expect(await feed.json("/v3/catalog/index.json")).toMatchObject({
    "@id": "https://feed.example/v3/catalog/index.json",
    commitTimeStamp: "1970-01-01T00:00:00.000Z",
    count: 0,
    items: [],
  });
});

test("a published version can be followed from the index to its leaf", async () => {
  const feed = openFeed();
  const bytes = buildNupkg({
    id: "Acme.Widgets",
    version: "1.02-Beta+x",
    metadata: `<tags>one two</tags><dependencies><group targetFramework="net8.0">
      <dependency id="Other" version="[1.0.0, )" /></group></dependencies>`,
  });
  await feed.push(bytes);
  await writeCatalog(portsOf(feed), [event(5, "package.published", "Acme.Widgets@1.2.0-Beta")]);

  const index = await follow(feed, "https://feed.example/v3/catalog/index.json");
  expect(index).toMatchObject({ "@type": ["CatalogRoot", "AppendOnlyCatalog", "Permalink"] });
  expect(index).toMatchObject({ count: 1, items: [{ "@type": "CatalogPage", count: 1 }] });
  const page = await follow(feed, index.items[0]?.["@id"] ?? "");
  expect(page).toMatchObject({ parent: index["@id"], count: 1 });
  const [item] = page.items;
  expect(item).toMatchObject({
    "@type": "nuget:PackageDetails",
    "nuget:id": "Acme.Widgets",
    "nuget:version": "1.2.0-Beta+x",
    commitTimeStamp: index["commitTimeStamp"],
    commitId: index["commitId"],
  });
  expect(item?.["@id"]).toMatch(/\/data\/[\d.]{23}\/acme\.widgets\.1\.2\.0-beta\.json$/);
  const leaf = await follow(feed, item?.["@id"] ?? "");
  expect(leaf).toMatchObject({
    "@id": item?.["@id"],
    "@type": ["PackageDetails", "catalog:Permalink"],
    "catalog:commitId": item?.["commitId"],
    "catalog:commitTimeStamp": item?.["commitTimeStamp"],
    id: "Acme.Widgets",
    version: "1.2.0-Beta+x",
    verbatimVersion: "1.02-Beta+x",
    isPrerelease: true,
    listed: true,
    lastEdited: AT.toISOString(),
    packageHash: createHash("sha512").update(bytes).digest("base64"),
    packageHashAlgorithm: "SHA512",
    packageSize: bytes.length,
    tags: ["one", "two"],
    dependencyGroups: [
      { targetFramework: "net8.0", dependencies: [{ id: "Other", range: "[1.0.0, )" }] },
    ],
  });
  expect(leaf["published"]).toBe(leaf["created"]);
  expect(leaf).not.toHaveProperty("deprecation");
});

test("a later change adds a separate item, and a repeated delivery adds none", async () => {
  const feed = openFeed();
  await feed.fill("Acme", "1.0.0");
  const events = [event(1, "package.published", "Acme@1.0.0")];
  await writeCatalog(portsOf(feed), events);
  await feed.app.request("/api/v2/package/Acme/1.0.0", { method: "DELETE" });
  events.push(event(2, "package.unlisted", "Acme@1.0.0"));
  events.push(event(3, "package.deleted", "Acme@1.0.0"));
  await writeCatalog(portsOf(feed), events);
  expect(await leaves(feed)).toMatchObject([
    { "@type": ["PackageDetails", "catalog:Permalink"], listed: true },
    { "@type": ["PackageDetails", "catalog:Permalink"], listed: false },
    {
      "@type": ["PackageDelete", "catalog:Permalink"],
      id: "Acme",
      originalId: "Acme",
      version: "1.0.0",
      published: AT.toISOString(),
    },
  ]);
});

test.each([
  ["shown again adds the state of each version", true, "public", ["1.0.0", "2.0.0"]],
  ["hidden adds nothing, because the change itself ended its versions", false, "private", []],
  ["hidden again adds nothing for the event that showed it", false, "public", []],
  ["shown again adds nothing for the event that hid it", true, "private", []],
] as const)("a package that is %s", async (_, isShown, access, versions) => {
  const feed = openFeed();
  await feed.fill("Acme", "1.0.0", "2.0.0");
  const catalog = { ...feed.catalog, shows: async (id: string) => isShown && id === "acme" };
  const change = { ...event(7, "package.access-changed", "acme"), detail: { access } };
  await writeCatalog({ ...portsOf(feed), catalog }, [change]);
  expect(await leaves(feed)).toMatchObject(
    versions.map((version) => ({
      "@type": ["PackageDetails", "catalog:Permalink"],
      version,
      lastEdited: AT.toISOString(),
    })),
  );
});

test("events of other things, and of versions that are gone, write nothing", async () => {
  const feed = openFeed();
  await writeCatalog(portsOf(feed), [
    event(1, "package.published", "Gone@1.0.0"),
    event(2, "package.tagged", "Acme@1.0.0"),
    { ...event(3, "package.deleted", ""), subject: "oci/team/app@sha256:00" },
    { ...event(4, "token.created", ""), subject: "token/1" },
    event(5, "package.published", "Acme@no-version"),
  ]);
  expect(await leaves(feed)).toEqual([]);
});

const SEAL: Seal = {
  plan: Uint8Array.of(1),
  fingerprint: "f".repeat(64),
  size: 6,
  signedAt: AT,
};

test("the hash of a signed version is that of the file as served, read once", async () => {
  const feed = openFeed();
  const version = newPackage({ id: "Acme", version: "1.0.0" }, { seal: SEAL });
  await feed.ports.recorder.record(version, testCaller);
  let reads = 0;
  const hashable: HashableFiles = {
    ...unreadFiles,
    async signed() {
      reads += 1;
      return sourceOf(Buffer.from("signed"));
    },
  };
  const events = [1, 2].map((id) => event(id, "package.published", "Acme@1.0.0"));
  await writeCatalog(portsOf(feed, hashable), events, { signingEnabled: true });
  await writeCatalog(portsOf(feed, hashable), [event(3, "package.relisted", "Acme@1.0.0")]);
  const signed = {
    packageHash: createHash("sha512").update("signed").digest("base64"),
    packageSize: 6,
  };
  // With signing off, the served file equals the pushed one.
  const received = { packageHash: version.sha512, packageSize: 1234 };
  expect(await leaves(feed)).toMatchObject([signed, signed, received]);
  expect(reads).toBe(1);
});

test("lost bytes do not hold up the catalog, a store that is out does", async () => {
  const feed = openFeed();
  const version = newPackage({ id: "Acme", version: "1.0.0" }, { seal: SEAL });
  await feed.ports.recorder.record(version, testCaller);
  const failing = (why: object): HashableFiles => ({
    ...unreadFiles,
    signed: async () => {
      throw Object.assign(new Error("unreadable"), why);
    },
  });
  const events = [event(1, "package.published", "Acme@1.0.0")];
  await expect(
    writeCatalog(portsOf(feed, failing({ code: "unavailable" })), events),
  ).rejects.toThrow();
  expect(await leaves(feed)).toEqual([]);
  await writeCatalog(portsOf(feed, failing({ code: "storage-not-found" })), events);
  const received = { packageHash: version.sha512, packageSize: 1234 };
  expect(await leaves(feed)).toMatchObject([received]);
  const later = [event(2, "package.unlisted", "Acme@1.0.0")];
  await writeCatalog(portsOf(feed, failing({ problem: "splice-plan" })), later);
  expect(await leaves(feed)).toMatchObject([received, received]);
});

test("stops between two items on request", async () => {
  const feed = openFeed();
  const stop = new AbortController();
  stop.abort();
  const events = [event(1, "package.deleted", "Acme@1.0.0")];
  await expect(writeCatalog(portsOf(feed), events, { signal: stop.signal })).rejects.toThrow();
  expect(await leaves(feed)).toEqual([]);
});

test("pages hold 550 items; caches ask again for pages and leaves", async () => {
  const feed = openFeed();
  const append = (from: number, to: number) =>
    writeCatalog(
      portsOf(feed),
      Array.from({ length: to - from }, (_, n) =>
        event(from + n + 1, "package.deleted", `Acme@1.0.${from + n}`),
      ),
    );
  await append(0, 550);
  expect(await feed.json("/v3/catalog/index.json")).toMatchObject({ count: 1 });
  await append(550, 1101);
  const index = await follow(feed, "https://feed.example/v3/catalog/index.json");
  expect(index.items.map(({ count }) => count)).toEqual([550, 550, 1]);
  expect(index).toMatchObject({ count: 3, commitId: index.items[2]?.["commitId"] });
  const times = index.items.map(({ commitTimeStamp }) => String(commitTimeStamp));
  expect(times).toEqual(times.toSorted());

  const [full, last] = [await feed.get("/v3/catalog/page1.json"), "/v3/catalog/page2.json"];
  expect(full.headers.get("cache-control")).toBe("no-cache");
  expect((await feed.get(last)).headers.get("cache-control")).toBe("no-cache");
  const page = (await full.json()) as Listing;
  expect(page.items[0]).toMatchObject({ "nuget:version": "1.0.550" });
  const leaf = await linked(feed, page.items[0]?.["@id"] ?? "");
  expect(leaf.headers.get("cache-control")).toBe("no-cache");
  expect(leaf.headers.get("etag")).toMatch(/^"/);
  const committed = new Date(String(page.items[0]?.["commitTimeStamp"]));
  expect(leaf.headers.get("last-modified")).toBe(committed.toUTCString());
});

test("documents have entity tags and a gzip form", async () => {
  const feed = openFeed();
  await feed.fill("Acme", "1.0.0", "2.0.0");
  const events = [1, 2].map((n) => event(n, "package.published", `Acme@${n}.0.0`));
  await writeCatalog(portsOf(feed), events);
  for (const path of ["/v3/catalog/index.json", "/v3/catalog/page0.json"]) {
    const plain = await feed.get(path);
    const etag = plain.headers.get("etag") ?? "";
    expect((await feed.get(path, { "if-none-match": etag })).status).toBe(304);
    const packed = await feed.get(path, { "accept-encoding": "gzip" });
    if (packed.headers.get("content-encoding") === null) continue;
    const unpacked = gunzipSync(Buffer.from(await packed.arrayBuffer())).toString();
    expect(unpacked).toBe(await plain.text());
  }
  expect(feed.documents.keys()).toHaveLength(1);
});

test.each([
  "/v3/catalog/page1.json",
  "/v3/catalog/page.json",
  "/v3/catalog/page-1.json",
  "/v3/catalog/page99999999999999999999.json",
  "/v3/catalog/data/2026.01.02.03.04.05.678/acme.1.0.0.json",
  "/v3/catalog/data/9999.99.99.99.99.99.999/acme.1.0.0.json",
  "/v3/catalog/data/nonsense/acme.1.0.0.json",
])("answers 404 for %s", async (path) => {
  const feed = openFeed();
  await feed.fill("Acme", "1.0.0");
  await writeCatalog(portsOf(feed), [event(1, "package.published", "Acme@1.0.0")]);
  expect((await feed.get(path)).status).toBe(404);
  const [leaf] = await leaves(feed);
  const other = String(leaf?.["@id"]).replace("acme.1.0.0", "acme.2.0.0");
  expect((await linked(feed, other)).status).toBe(404);
});

test("needs the same right as reading the feed", async () => {
  const feed = openFeed({ authorize: async () => ({ status: "anonymous" }) });
  for (const path of ["index.json", "page0.json", "data/2026.01.02.03.04.05.678/a.1.0.0.json"]) {
    expect((await feed.get(`/v3/catalog/${path}`)).status).toBe(401);
  }
});

test("shows the details of a version to readers of the package, its end to all", async () => {
  const open = openFeed();
  await open.fill("Acme", "1.0.0");
  await writeCatalog(portsOf(open), [
    event(1, "package.published", "Acme@1.0.0"),
    event(2, "package.deleted", "Acme@2.0.0"),
  ]);
  const index = await follow(open, "https://feed.example/v3/catalog/index.json");
  const page = await follow(open, index.items[0]?.["@id"] ?? "");
  const closed = createTestFeed({
    ...open.ports,
    authorize: async (_request, _env, { name }) =>
      name === "acme"
        ? { status: "denied", reason: "not this one" }
        : { status: "granted", caller: testCaller },
  });
  expect((await linked(closed, page["@id"])).status).toBe(200);
  const answers = page.items.map(async (item) => (await linked(closed, item["@id"])).status);
  expect(await Promise.all(answers)).toEqual([401, 200]);
});
