import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import type { NuGetPorts } from "@sealhouse/nuget-protocol";
import { publish, writeCatalog } from "@sealhouse/nuget-protocol/package";
import {
  buildNupkg,
  buildPdb,
  buildSnupkg,
  createMemoryCatalog,
  createMemoryNuGetPorts,
  sourceOf,
  testCaller,
} from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openNuGetSource } from "../../sources/source-clients.ts";
import { testSource } from "../../testing/memory-parts.ts";
import { openImportProgress } from "../progress.ts";
import { importNuGetFeed, importNuGetFolder } from "./import-nuget.ts";
import type { NuGetFeedSource } from "./import-nuget.ts";
import type { NuGetImportOptions } from "./run-nuget-import.ts";

const NOW = new Date("2026-01-02T03:04:05Z");
const LONG_AGO = new Date("2019-08-07T06:05:04.000Z");
const BASE = "https://feed.example";
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sealhouse-import-nuget-"));
});
afterAll(() => rm(root, { recursive: true }));

const folderFor = () => mkdtemp(join(root, "packages-"));

async function put(path: string, bytes: Uint8Array, time: Date = LONG_AGO): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  await utimes(path, time, time);
}

/** A registry in memory that imports. */
function openTarget() {
  const { ports, storedFiles } = createMemoryNuGetPorts();
  const options = (more: Partial<NuGetImportOptions>): NuGetImportOptions => ({
    caller: { actor: "import" },
    origin: "Published",
    now: () => NOW,
    dryRun: false,
    maxBytes: 10_000_000,
    concurrency: 2,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...more,
  });
  const notices: string[] = [];
  return {
    ports,
    storedFiles,
    notices,
    folder: (folder: string, more: Partial<NuGetImportOptions> = {}) =>
      importNuGetFolder(ports, folder, options(more)),
    feed: (
      client: NuGetFeedSource["client"],
      {
        withSymbols = false,
        idFile,
        progress,
        ...more
      }: Partial<NuGetImportOptions & Omit<NuGetFeedSource, "client" | "onNotice">> = {},
    ) => {
      const onNotice = (text: string) => void notices.push(text);
      return importNuGetFeed(
        ports,
        { client, withSymbols, idFile, progress, onNotice },
        options(more),
      );
    },
    versions: (id: string) => ports.lookup.versions(id),
  };
}

/** Our own feed in the role of another one. */
function openFeed(overrides: Partial<NuGetPorts> = {}, without: readonly string[] = []) {
  const memory = createMemoryCatalog();
  const { ports } = createMemoryNuGetPorts({
    ...memory,
    address: () => ({ base: BASE, cacheable: true }),
    ...overrides,
  });
  const app = createNuGetApp(ports);
  const requests: string[] = [];
  const failing = { path: /never/, status: 503 };
  const patience = { attemptsMax: 1, waitMaxMs: 0 };
  const client = openNuGetSource(testSource("nuget", new URL(`${BASE}/v3/index.json`)), {
    patience,
    async fetch(url, init) {
      const { pathname } = new URL(url);
      requests.push(pathname);
      if (failing.path.test(pathname)) return new Response("", { status: failing.status });
      if (pathname !== "/v3/index.json") return app.request(new Request(url, init));
      const response = await app.request(pathname);
      const index = (await response.json()) as { readonly resources: { "@type": string }[] };
      const left = index.resources.filter(
        (resource) => !without.some((type) => resource["@type"].startsWith(type)),
      );
      return Response.json({ ...index, resources: left });
    },
  });
  let events = 0;
  return {
    client,
    requests,
    failing,
    memory,
    async fill(id: string, ...versions: readonly string[]) {
      for (const version of versions) {
        await publish(ports, {
          body: sourceOf(buildNupkg({ id, version })).read(),
          caller: testCaller,
          now: LONG_AGO,
          allow: async () => undefined,
        });
        events += 1;
        const event = { id: String(events), type: "package.published", at: LONG_AGO };
        await writeCatalog(memory, [{ ...event, subject: `nuget/${id}@${version}` }]);
      }
    },
    async putSymbols(bytes: Uint8Array) {
      const body = Buffer.from(bytes);
      const { status } = await app.request("/api/v2/symbolpackage", { method: "PUT", body });
      expect(status).toBe(201);
    },
  };
}

test("imports a folder with the times of its files, and finds it there again", async () => {
  const folder = await folderFor();
  const widgets = buildNupkg({ id: "Acme.Widgets", version: "1.0-Beta" });
  await put(join(folder, "any name.nupkg"), widgets);
  await put(join(folder, "a/b/Other.1.0.0.NUPKG"), buildNupkg({ id: "Other", version: "1.0.0" }));
  const tomorrow = new Date(NOW.getTime() + 86_400_000);
  await put(join(folder, "new.nupkg"), buildNupkg({ id: "New", version: "1.0.0" }), tomorrow);
  await put(join(folder, "Other.1.0.0.symbols.nupkg"), Buffer.from("an old symbol package"));
  await put(join(folder, "readme.txt"), Buffer.from("no package"));
  const target = openTarget();
  expect(await target.folder(folder)).toMatchObject({ imported: 3, refused: 0, failed: 0 });
  expect(await target.versions("acme.widgets")).toMatchObject([
    { version: "1.0.0-Beta", publishedAt: LONG_AGO, listed: true, origin: "Published" },
  ]);
  expect(await target.versions("new")).toMatchObject([{ publishedAt: NOW }]);
  expect(await target.folder(folder)).toMatchObject({ imported: 0, existing: 3 });
});

test("takes the originals of a storage folder, not their signed copies", async () => {
  const storage = await folderFor();
  const version = join(storage, "packages/acme/1.0.0");
  const bytes = buildNupkg({ id: "Acme", version: "1.0.0" });
  await put(join(version, "acme.1.0.0.nupkg"), bytes);
  await put(join(version, "acme.nuspec"), Buffer.from("<package/>"));
  await put(join(version, "signed/acme.1.0.0.nupkg"), Buffer.from("a signed copy"));
  const only = buildNupkg({ id: "Signed", version: "1.0.0" });
  await put(join(storage, "packages/x/signed/signed.1.0.0.nupkg"), only);
  const target = openTarget();
  const report = await target.folder(storage, { origin: "Mirrored" });
  expect(report).toMatchObject({ imported: 2, existing: 0, refused: 0 });
  expect(await target.versions("acme")).toMatchObject([{ size: bytes.length, origin: "Mirrored" }]);
});

test("takes symbols after their packages, from folders and feeds", async () => {
  const files = { "lib/net8.0/acme.pdb": buildPdb({ content: "acme" }) };
  const symbols = buildSnupkg({ id: "Acme", version: "1.0.0", files });
  const folder = await folderFor();
  await put(join(folder, "a/acme.1.0.0.snupkg"), symbols);
  await put(join(folder, "packages/acme.nupkg"), buildNupkg({ id: "Acme", version: "1.0.0" }));
  await put(join(folder, "lone.snupkg"), buildSnupkg({ id: "Lone", version: "1.0.0", files }));
  const target = openTarget();
  const report = await target.folder(folder);
  expect(report).toMatchObject({ imported: 1, symbols: 1, refused: 1 });
  expect(report.refusals).toEqual([
    { name: "lone.snupkg", reason: "Lone 1.0.0 is not in this feed." },
  ]);
  expect(await target.folder(folder)).toMatchObject({ imported: 0, symbols: 0, existing: 2 });

  const feed = openFeed();
  await feed.fill("Acme", "1.0.0", "2.0.0");
  await feed.putSymbols(symbols);
  const other = openTarget();
  expect(await other.feed(feed.client)).toMatchObject({ imported: 2, symbols: 0 });
  const again = await other.feed(feed.client, { withSymbols: true });
  expect(again).toMatchObject({ imported: 0, symbols: 1, failed: 0 });
  expect(await other.ports.symbols.findPackage("acme", "1.0.0")).toBeDefined();
});

test.each([false, true])("reports refused files with the reason; dry run: %s", async (dryRun) => {
  const folder = await folderFor();
  await put(join(folder, "good.nupkg"), buildNupkg({ id: "Good", version: "1.0.0" }));
  // Clients install packages that have one file twice, or name a missing icon.
  const icon = { name: "other.png", data: "icon" };
  const metadata = "<icon>icon.png</icon>";
  const untidy = { id: "Untidy", version: "1.0.0", metadata, entries: [icon, icon] };
  await put(join(folder, "untidy.nupkg"), buildNupkg(untidy));
  await put(join(folder, "broken.nupkg"), Buffer.from("this is no zip"));
  await put(join(folder, "empty.nupkg"), Buffer.of());
  const outside = { id: "Escape", version: "1.0.0", files: { "../outside.txt": "x" } };
  await put(join(folder, "escape.nupkg"), buildNupkg(outside));
  await put(join(folder, "broken.snupkg"), Buffer.from("this is no zip"));
  const target = openTarget();
  const report = await target.folder(folder, { dryRun });
  expect(report).toMatchObject({ refused: 4, failed: 0, isComplete: false });
  expect(dryRun ? report.importable : report.imported).toBe(2);
  const names = report.refusals.map(({ name }) => name).toSorted();
  expect(names).toEqual(["broken.nupkg", "broken.snupkg", "empty.nupkg", "escape.nupkg"]);
  expect(report.refusals.every(({ reason }) => reason.length > 10)).toBe(true);
  expect(target.storedFiles.size > 0).toBe(!dryRun);
});

test("opens neither pipes nor devices", async () => {
  const folder = await folderFor();
  execFileSync("mkfifo", [join(folder, "pipe.fifo")]);
  await symlink("pipe.fifo", join(folder, "pipe.nupkg"));
  await symlink("/dev/zero", join(folder, "zero.nupkg"));
  await symlink("nowhere", join(folder, "gone.nupkg"));
  const report = await openTarget().folder(folder);
  expect(report).toMatchObject({ imported: 0, failed: 3 });
  const reasons = report.failures.map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === "It is not a file.")).toHaveLength(2);
});

test("refuses a folder that does not exist", async () => {
  await expect(openTarget().folder(join(root, "nowhere"))).rejects.toThrow(
    "nowhere does not exist. The address of a feed begins with http or https.",
  );
});

test("imports a feed with what it knows: times, unlisted and deprecated versions", async () => {
  const feed = openFeed();
  await feed.fill("Acme.Widgets", "1.0.0", "2.0.0-Beta.1+x");
  await feed.fill("Other", "1.0.0");
  await feed.memory.recorder.setListed("acme.widgets", "1.0.0", false, testCaller);
  const deprecation = {
    reasons: ["Legacy", "CriticalBugs"] as const,
    message: "Use the other.",
    alternatePackage: { id: "Other", range: "[1.0.0, )" },
  };
  await feed.memory.lifecycle.deprecate("acme.widgets", ["1.0.0"], deprecation, testCaller);
  const target = openTarget();
  expect(await target.feed(feed.client)).toMatchObject({ imported: 3, existing: 0 });
  expect(await target.versions("acme.widgets")).toMatchObject([
    { version: "1.0.0", listed: false, publishedAt: LONG_AGO, deprecation },
    { id: "Acme.Widgets", fullVersion: "2.0.0-Beta.1+x", listed: true, publishedAt: LONG_AGO },
  ]);
  expect(target.notices).toEqual(["2 packages to compare."]);
});

test("later looks only at what came after the cursor of the catalog", async () => {
  const path = join(await folderFor(), "progress.json");
  const progress = (fromStart = false) =>
    openImportProgress(path, { source: BASE, now: () => NOW, fromStart });
  const feed = openFeed();
  await feed.fill("First", "1.0.0");
  await feed.fill("Other", "1.0.0");
  const target = openTarget();
  await target.feed(feed.client, { progress: await progress() });
  await feed.fill("Other", "2.0.0");
  feed.requests.length = 0;
  const later = await target.feed(feed.client, { progress: await progress() });
  expect(later).toMatchObject({ imported: 1, existing: 1 });
  expect(feed.requests.some((request) => request.includes("first"))).toBe(false);
  const all = await target.feed(feed.client, { progress: await progress(true) });
  expect(all).toMatchObject({ imported: 0, existing: 3 });
});

test("asks again for what failed, and not for what is done", async () => {
  const path = join(await folderFor(), "progress.json");
  const progress = () =>
    openImportProgress(path, { source: BASE, now: () => NOW, fromStart: false });
  const feed = openFeed();
  await feed.fill("First", "1.0.0");
  await feed.fill("Second", "1.0.0", "2.0.0");
  feed.failing.path = /second\.2\.0\.0\.nupkg/;
  feed.failing.status = 418;
  const target = openTarget();
  const first = await target.feed(feed.client, { progress: await progress() });
  expect(first).toMatchObject({ imported: 2, failed: 1, isComplete: false });
  expect(first.failures).toMatchObject([{ name: "Second 2.0.0" }]);
  expect(first.failures[0]?.reason).toContain("was answered 418");
  feed.failing.path = /never/;
  feed.requests.length = 0;
  const second = await target.feed(feed.client, { progress: await progress() });
  expect(second).toMatchObject({ imported: 1, existing: 1 });
  expect(feed.requests.some((request) => request.includes("first"))).toBe(false);
});

test.each([
  ["answers 400 for registrations", /\/registration/, [], "The feed answered with status 400"],
  ["has no registrations", /never/, ["RegistrationsBaseUrl"], "The feed has no registrations."],
] as const)("imports a feed that %s, with a warning", async (...row) => {
  const [, path, without, warning] = row;
  const feed = openFeed({}, without);
  await feed.fill("Acme.Widgets", "1.0.0", "2.0.0");
  Object.assign(feed.failing, { path, status: 400 });
  const target = openTarget();
  const report = await target.feed(feed.client);
  expect(report).toMatchObject({ imported: 2, failed: 0 });
  expect(report.warnings[0]).toMatchObject({ name: "acme.widgets" });
  expect(report.warnings[0]?.reason).toContain(warning);
  expect(await target.versions("acme.widgets")).toMatchObject([
    { version: "1.0.0", listed: true, publishedAt: NOW },
    { version: "2.0.0", listed: true, publishedAt: NOW },
  ]);
});

test("searches a feed without a catalog, and accepts ids from a file", async () => {
  const feed = openFeed({}, ["Catalog"]);
  await feed.fill("Acme", "1.0.0");
  await feed.fill("Hidden", "1.0.0");
  await feed.memory.recorder.setListed("hidden", "1.0.0", false, testCaller);
  const target = openTarget();
  expect(await target.feed(feed.client)).toMatchObject({ imported: 1 });
  expect(target.notices[0]).toContain("The feed has no catalog");
  const idFile = join(await folderFor(), "ids.txt");
  await writeFile(idFile, "# all of them\nhidden\nAcme\nACME\nunknown # gone\n\n");
  const listed = await target.feed(feed.client, { idFile });
  expect(listed).toMatchObject({ imported: 1, existing: 1, failed: 0 });
  await writeFile(idFile, "no/id\n");
  await expect(target.feed(feed.client, { idFile })).rejects.toThrow(
    '"no/id" is not a package id.',
  );
});

test.each([
  ["repeats its last page", { totalHits: 9, packages: [{ id: "A" }] }, "lists 1 of 9 packages"],
  ["lists everything", { totalHits: 1, packages: [{ id: "A" }] }, "The feed has no catalog"],
])("the search of a feed that %s comes to an end", async (_, page, remark) => {
  const client = {
    ...openFeed().client,
    resource: async () => undefined,
    search: async () => page,
    versions: async () => [],
  } as unknown as NuGetFeedSource["client"];
  const target = openTarget();
  expect(await target.feed(client)).toMatchObject({ imported: 0, failed: 0 });
  expect(target.notices[0]).toContain(remark);
});

test("imports only the requested packages, whatever the feed sends", async () => {
  const evil = buildNupkg({ id: "Evil", version: "6.6.6" });
  const feed = openFeed({
    content: { open: async () => ({ ...sourceOf(evil), etag: "evil" }) },
  });
  await feed.fill("Good", "1.0.0");
  const target = openTarget();
  const { refusals, imported } = await target.feed(feed.client);
  expect([imported, refusals[0]?.reason]).toEqual([
    0,
    expect.stringContaining("It is Evil 6.6.6, not good 1.0.0."),
  ]);
  expect(await target.versions("evil")).toEqual([]);
});

test("a dry run of a feed downloads nothing", async () => {
  const feed = openFeed();
  await feed.fill("Acme", "1.0.0");
  const report = await openTarget().feed(feed.client, { dryRun: true, withSymbols: true });
  expect(report).toMatchObject({ importable: 1, imported: 0, refused: 0 });
  expect(feed.requests.filter((path) => path.endsWith("pkg"))).toEqual([]);
});

test("refuses a deleted version", async () => {
  const feed = openFeed();
  await feed.fill("Acme", "1.0.0");
  const target = openTarget();
  await target.feed(feed.client);
  await target.ports.lifecycle.delete("acme", "1.0.0", testCaller);
  const { refusals } = await target.feed(feed.client);
  expect(refusals[0]?.reason).toMatch(/^It was deleted from this feed on \d{4}-\d{2}-\d{2}\.$/);
});

test("stops on request, and reports what it has", async () => {
  const feed = openFeed();
  for (const id of ["A", "B", "C"]) await feed.fill(id, "1.0.0");
  const stop = new AbortController();
  const report = await openTarget().feed(feed.client, {
    concurrency: 1,
    signal: stop.signal,
    onProgress: () => stop.abort(new Error("stop")),
  });
  expect(report).toMatchObject({ imported: 1, isInterrupted: true, isComplete: false });
});

test("a feed whose ids cannot be read is an error", async () => {
  const feed = openFeed();
  Object.assign(feed.failing, { path: /index\.json/, status: 500 });
  await expect(openTarget().feed(feed.client)).rejects.toThrow("was answered 500");
});
