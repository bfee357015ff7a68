import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AdvisorySourceError } from "../errors.ts";
import { openAdvisoryServer } from "../testing/advisory-server.ts";
import type { AdvisoryServer } from "../testing/advisory-server.ts";
import { createMemoryRegistry, readers } from "../testing/memory-registry.test.support.ts";
import { osvDocument } from "../testing/osv-document.ts";
import { zipOf } from "../testing/zip.test.support.ts";
import { TEMPORARY_PREFIX } from "../sources/temporary-folder.ts";
import { importAdvisories, removeSource } from "./import-advisories.ts";
import { importedSources } from "./known-sources.ts";

const cleanUp = new AsyncDisposableStack();
let server: AdvisoryServer;
let folder: string;
let registry = createMemoryRegistry();

beforeAll(async () => {
  server = cleanUp.use(await openAdvisoryServer());
});
afterAll(() => cleanUp.disposeAsync());
beforeEach(async () => {
  registry = createMemoryRegistry();
  server.pages.clear();
  server.requests.length = 0;
  folder = await mkdtemp(join(tmpdir(), "sealhouse-osv-"));
  const made = folder;
  cleanUp.defer(() => rm(made, { recursive: true }));
});

const JSON_PART = osvDocument({ id: "GHSA-aaaa-aaaa-aaaa", package: "Acme.Json", fixed: "2.0.0" });
const XML_PART = osvDocument({ id: "GHSA-bbbb-bbbb-bbbb", package: "Acme.Xml" });
const NPM_PART = osvDocument({ id: "GHSA-cccc-cccc-cccc", package: "acme", ecosystem: "npm" });

const PYPI_PART = osvDocument({ id: "GHSA-eeee-eeee-eeee", package: "a", ecosystem: "PyPI" });

function from(location: string, options: { allowPrivate?: boolean; isByHand?: boolean } = {}) {
  const { allowPrivate = true, isByHand = false } = options;
  const fetch = createOutgoingFetch({ allowPrivate });
  const { signal } = new AbortController();
  const { recorders } = registry;
  const importOptions = { readers, recorders, fetch, signal, isByHand };
  return importAdvisories({ name: "one", location }, importOptions);
}

async function put(path: string, content: unknown): Promise<void> {
  const target = join(folder, path);
  await mkdir(join(target, ".."), { recursive: true });
  await writeFile(target, typeof content === "string" ? content : JSON.stringify(content));
}

test("takes a checkout of the GitHub Advisory Database", async () => {
  const reviewed = "advisories/github-reviewed/2026/01";
  await put(`${reviewed}/GHSA-aaaa-aaaa-aaaa/GHSA-aaaa-aaaa-aaaa.json`, JSON_PART);
  await put(`${reviewed}/GHSA-bbbb-bbbb-bbbb/GHSA-bbbb-bbbb-bbbb.json`, XML_PART);
  await put(`${reviewed}/GHSA-cccc-cccc-cccc/GHSA-cccc-cccc-cccc.json`, NPM_PART);
  await put(`${reviewed}/GHSA-dddd-dddd-dddd/GHSA-dddd-dddd-dddd.json`, '{"id": "NuGet');
  await put("advisories/unreviewed/2026/01/GHSA-eeee/GHSA-eeee.json", "NuGet, but no JSON");
  await put(".git/config.json", "NuGet");
  await put("README.md", "NuGet");
  expect(await from(folder)).toEqual({
    status: "imported",
    source: "one",
    added: 3,
    removed: 0,
    total: 3,
    nuget: { added: 2, removed: 0, total: 2 },
    npm: { added: 1, removed: 0, total: 1 },
    skipped: {
      count: 1,
      reasons: [`${reviewed}/GHSA-dddd-dddd-dddd/GHSA-dddd-dddd-dddd.json: a document is not JSON`],
    },
  });
  expect(registry.names()).toEqual(["acme.json", "acme.xml", "npm acme"]);
});

test("reads thousands of files, and again what became of them", async () => {
  for (let index = 0; index < 2000; index++) {
    await put(
      `${index % 10}/${index}.json`,
      osvDocument({ id: `X-${index}`, package: `P${index}` }),
    );
  }
  expect(await from(folder)).toMatchObject({ added: 2000, total: 2000 });
  await rm(join(folder, "3"), { recursive: true });
  expect(await from(folder)).toMatchObject({ added: 0, removed: 200, total: 1800 });
});

test("follows the links of a mounted folder, and survives a broken one", async () => {
  await put("..data/own.json", JSON_PART);
  await symlink(join("..data", "own.json"), join(folder, "own.json"));
  await symlink("nowhere.json", join(folder, "gone.json"));
  expect(await from(folder)).toMatchObject({ total: 1, skipped: { count: 1 } });
});

test("opens neither pipes nor devices, which may never end", async () => {
  await put("own.json", JSON_PART);
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await symlink("pipe", join(folder, "pipe.json"));
  await symlink("/dev/zero", join(folder, "zero.json"));
  expect(await from(folder)).toMatchObject({
    total: 1,
    skipped: { reasons: ["pipe.json: is not a file", "zero.json: is not a file"] },
  });
  await expect(from(join(folder, "pipe"))).rejects.toThrow(/neither a folder nor a file/);
});

test.each([
  ["one document", JSON.stringify(JSON_PART), 1],
  ["an array", JSON.stringify([JSON_PART, XML_PART, NPM_PART]), 3],
  ["lines", [JSON_PART, XML_PART, NPM_PART].map((part) => JSON.stringify(part)).join("\n"), 3],
  ["lines that end with the file's", `${JSON.stringify(JSON_PART)}\r\n\r\n`, 1],
])("takes a file with %s, from a folder and from an address", async (_, text, total) => {
  await put("osv.json", text);
  expect(await from(join(folder, "osv.json"))).toMatchObject({ added: total, total });
  server.pages.set("/osv.json", { body: text, gzip: true });
  expect(await from(`${server.url}/osv.json`)).toMatchObject({ added: 0, total });
});

test("takes an archive, and does not load it again while it is the same", async () => {
  const archive = (documents: readonly object[]) =>
    zipOf(
      documents.map((document, index) => ({
        name: `${index}.json`,
        data: JSON.stringify(document),
      })),
    );
  const url = `${server.url}/all.zip`;
  server.pages.set("/all.zip", { body: await archive([JSON_PART, NPM_PART]) });
  expect(await from(url)).toMatchObject({ status: "imported", total: 2 });
  expect(await from(url)).toEqual({ status: "unchanged", source: "one" });
  expect(server.requests).toEqual(["/all.zip 200", "/all.zip 304"]);
  server.pages.set("/all.zip", { body: await archive([JSON_PART, XML_PART]) });
  expect(await from(url)).toMatchObject({
    nuget: { added: 1, total: 2 },
    npm: { removed: 1, total: 0 },
  });
});

test("asks for everything again when the source has moved", async () => {
  const body = JSON.stringify([JSON_PART]);
  server.pages.set("/a.json", { body });
  server.pages.set("/b.json", { body });
  await from(`${server.url}/a.json`);
  expect(await from(`${server.url}/b.json`)).toMatchObject({ status: "imported" });
  expect(server.requests).toEqual(["/a.json 200", "/b.json 200"]);
});

test("follows a redirect, and checks each URL", async () => {
  server.pages.set("/old", { location: `${server.url}/new` });
  server.pages.set("/new", { body: JSON.stringify(JSON_PART) });
  expect(await from(`${server.url}/old`)).toMatchObject({ total: 1 });
  const guarded = from(`${server.url}/old`, { allowPrivate: false });
  await expect(guarded).rejects.toThrow(/private network/);
});

test.each([
  ["a status", { status: 500 }, /answers 500/],
  ["a circle", { location: "/x" }, /redirects more than 5 times/],
  ["a way out of the web", { location: "file:///etc/passwd" }, /which is not allowed/],
  ["a page for people", { body: "<html>Sign in</html>" }, /is neither an archive nor JSON/],
  ["half an archive", { body: "PK\u0003\u0004" }, /is not a zip archive/],
  [
    "another ecosystem",
    { body: JSON.stringify([PYPI_PART]) },
    /no advisory about a NuGet or npm package/,
  ],
  ["nothing", { body: "[]" }, /no advisory about a NuGet or npm package/],
])("refuses %s, and keeps what it had", async (_, served, words) => {
  server.pages.set("/x", { body: JSON.stringify(JSON_PART) });
  await from(`${server.url}/x`);
  server.pages.set("/x", served);
  const failed = from(`${server.url}/x`);
  await expect(failed).rejects.toThrow(words);
  await expect(failed).rejects.toThrow(AdvisorySourceError);
  expect(registry.names()).toEqual(["acme.json"]);
});

test.each(["no-such-folder", "no-such-file.json"])("says that %s is not there", async (path) => {
  await expect(from(join(folder, path))).rejects.toThrow(/Cannot read .*: ENOENT/);
});

test("leaves no temporary file behind, whatever happens", async () => {
  const left = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(TEMPORARY_PREFIX));
  const before = await left();
  server.pages.set("/x", { body: JSON.stringify(JSON_PART) });
  await from(`${server.url}/x`);
  server.pages.set("/x", { body: "PK" });
  await from(`${server.url}/x`).catch(() => undefined);
  expect(await left()).toEqual(before);
});

test("stops when its signal aborts", async () => {
  await put("a.json", JSON_PART);
  const fetch = createOutgoingFetch({ allowPrivate: true });
  const options = { readers, ...registry, fetch, signal: AbortSignal.abort() };
  await expect(importAdvisories({ name: "one", location: folder }, options)).rejects.toThrow();
  expect(registry.names()).toEqual([]);
});

test("keeps npm advisories of an interrupted source until its removal", async () => {
  await put("a.json", NPM_PART);
  await from(folder);
  await put("a.json", "NuGet, but no JSON");
  await expect(from(folder)).rejects.toThrow(/no advisory about/);
  expect(registry.names()).toEqual(["npm acme"]);
  await removeSource(registry.recorders, "one");
  expect(registry.names()).toEqual([]);
});

test("lists imported sources", async () => {
  await put("a.json", NPM_PART);
  await from(folder, { isByHand: true });
  expect(await importedSources(registry.recorders.nuget)).toMatchObject([
    { name: "one", location: folder, isByHand: true, updatedAt: expect.any(Date) },
  ]);
});
