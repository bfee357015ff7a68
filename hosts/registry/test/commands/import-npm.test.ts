import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@sealhouse/database";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import { expect, test } from "vitest";
import { root } from "./import-hosts.test.support.ts";
import { openNpmHost, openRegistry } from "./import-registries.test.support.ts";

/** Files of Verdaccio 6.10.4; see the README in the same folder. */
const STORAGE = join(import.meta.dirname, "../../test/verdaccio/storage");

async function findPackage(database: Database, name: string) {
  const here = await database.npm.lookup.find(name);
  if (!here) throw new Error(`There is no ${name}`);
  return here;
}

test("imports packages of a Verdaccio, with times, tags and deprecations", async () => {
  const host = await openNpmHost();
  const report = await host.report(STORAGE);
  expect(report).toMatchObject({ code: 1, imported: 5, existing: 0, refused: 1, failed: 0 });
  const [refusal] = report.refusals;
  expect(refusal?.name).toBe("changed@1.1.0");
  expect(refusal?.reason).toContain("the package.json in its tarball in: version.");
  expect(report.refusedBy).toEqual({ "manifest-differs": 1 });

  await using database = await host.database();
  const widgets = await findPackage(database, "widgets");
  const source = JSON.parse(await readFile(join(STORAGE, "widgets/package.json"), "utf8"));
  expect(
    widgets.versions.map((version) => [version.version, version.publishedAt.toISOString()]),
  ).toEqual(["1.0.0", "1.1.0", "2.0.0-rc.1"].map((version) => [version, source.time[version]]));
  expect(widgets.createdAt.toISOString()).toBe(source.time.created);
  expect(widgets.modifiedAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
  expect(widgets.distTags).toEqual({ latest: "1.1.0", next: "2.0.0-rc.1", stable: "1.0.0" });
  expect(widgets.readme).toBe("# Widgets 2\n");
  expect(widgets.versions.map(({ deprecated }) => deprecated)).toEqual([
    "use 1.1.0",
    undefined,
    undefined,
  ]);
  const integrity = source.versions["1.1.0"].dist.integrity;
  expect(widgets.versions[1]?.integrity).toBe(integrity);
  // What the source has as latest was refused.
  expect((await findPackage(database, "changed")).distTags).toEqual({ latest: "1.0.0" });
  expect((await findPackage(database, "@acme/gears")).versions).toHaveLength(1);
  expect(await database.npm.lookup.find("upstream-thing")).toBeUndefined();
  const unsigned = { after: 0, upTo: await database.npm.unsigned.lastId() };
  expect(await database.npm.unsigned.between(unsigned)).toEqual([]);
});

test("is run again at any time, and follows tags that moved at the source", async () => {
  const host = await openNpmHost();
  const storage = join(host.folder, "storage");
  await cp(STORAGE, storage, { recursive: true });
  await host.report(storage, "--pattern", "widgets");
  {
    await using database = await host.database();
    const caller = { actor: "somebody" };
    await database.npm.lifecycle.deprecate("widgets", new Map([["1.1.0", "ours"]]), caller);
  }
  const path = join(storage, "widgets/package.json");
  const document = JSON.parse(await readFile(path, "utf8"));
  document["dist-tags"] = { latest: "2.0.0-rc.1", next: "2.0.0-rc.1" };
  await writeFile(path, JSON.stringify(document));
  const again = await host.report(storage, "--pattern", "widgets");
  expect(again).toMatchObject({ code: 0, imported: 0, existing: 3 });

  await using database = await host.database();
  const widgets = await findPackage(database, "widgets");
  expect(widgets.distTags).toEqual({
    latest: "2.0.0-rc.1",
    next: "2.0.0-rc.1",
    stable: "1.0.0",
  });
  expect(widgets.versions[1]?.deprecated).toBe("ours");
});

test("restores a version whose tarball is damaged", async () => {
  const host = await openNpmHost();
  await host.report(STORAGE, "--pattern", "widgets");
  const marks = async (database: Database) =>
    (await findPackage(database, "widgets")).versions.map(({ isDamaged = false }) => isDamaged);
  {
    await using database = await host.database();
    const tarball = await database.npm.lookup.tarball("widgets", "1.1.0");
    await database.blobRegister("npm").markMissing(tarball?.key ?? "");
    expect(await marks(database)).toEqual([false, true, false]);
  }
  const again = await host.report(STORAGE, "--pattern", "widgets");
  expect(again).toMatchObject({ code: 0, imported: 0, existing: 3 });
  await using database = await host.database();
  expect(await marks(database)).toEqual([false, false, false]);
});

test("takes named packages and versions alone, copies when asked to", async () => {
  const host = await openNpmHost();
  const report = await host.report(STORAGE, "--packages", "widgets@<1.1,@acme/gears,absent");
  expect(report).toMatchObject({ code: 1, imported: 2, failed: 1 });
  expect(report.failures).toEqual([
    { name: "absent", reason: "The source does not have this package." },
  ]);
  const copies = await host.report(STORAGE, "--copies", "--pattern", "upstream-*");
  // Of the other version Verdaccio knows, and has no tarball.
  expect(copies).toMatchObject({ imported: 1, refused: 1 });
  expect(copies.refusals[0]?.reason).toBe("The source does not have the tarball.");
  await using database = await host.database();
  expect((await findPackage(database, "widgets")).versions).toHaveLength(1);
});

test("a dry run of a folder checks every tarball, and changes nothing", async () => {
  const host = await openNpmHost();
  const report = await host.report(STORAGE, "--dry-run");
  expect(report).toMatchObject({ code: 1, imported: 0, importable: 5, refused: 1 });
  await using database = await host.database();
  expect(await database.npm.lookup.find("widgets")).toBeUndefined();
});

test("refuses a tarball that differs from the source's metadata", async () => {
  const host = await openNpmHost();
  const storage = join(host.folder, "storage");
  await cp(STORAGE, storage, { recursive: true });
  const forged = buildTarball({ name: "widgets", version: "1.1.0" });
  await writeFile(join(storage, "widgets/widgets-1.1.0.tgz"), forged);
  await rm(join(storage, ".verdaccio-db.json"));
  const { stderr } = await host.run([storage, "--packages", "widgets"]);
  expect(stderr).toContain("refused widgets@1.1.0: The tarball of widgets@1.1.0 does not match");
  const all = await host.run([storage, "--fail-fast", "--concurrency", "1"]);
  expect(all.stderr).toContain(".verdaccio-db.json is missing");
  expect(all.code).toBe(1);
});

test("imports a registry's packages, and resumes after an interruption", async () => {
  await using source = await openRegistry();
  await source.fill("@acme/demo", "1.0.0", "1.1.0");
  await source.fill("other", "1.0.0");
  source.failing.path = /1\.1\.0\.tgz$/;
  const host = await openNpmHost();
  const first = await host.report(source.url);
  expect(first).toMatchObject({ code: 1, imported: 2, failed: 1 });
  expect(first.failures[0]?.name).toBe("@acme/demo@1.1.0");
  source.failing.path = /never/;
  source.requests.length = 0;
  const second = await host.report(source.url);
  expect(second).toMatchObject({ code: 0, imported: 1, existing: 1, failed: 0 });
  expect(source.requests).not.toContain("/npm/other");
  const third = await host.report(source.url);
  expect(third).toMatchObject({ code: 0, imported: 0, existing: 3 });

  await using database = await host.database();
  const demo = await findPackage(database, "@acme/demo");
  expect(demo.versions.map(({ publishedAt }) => publishedAt)).toEqual([
    source.publishedAt,
    source.publishedAt,
  ]);
  expect(demo.maintainers).toEqual([{ name: "tester" }]);
  expect(JSON.parse(demo.versions[0]?.manifest ?? "{}")).toMatchObject({
    _npmUser: { name: "tester" },
  });
});

test("keeps statements about where a version comes from", async () => {
  await using source = await openRegistry();
  await source.fillWithProvenance("demo", "1.0.0");
  const host = await openNpmHost();
  expect(await host.report(source.url)).toMatchObject({ code: 0, imported: 1 });
  await using database = await host.database();
  const [statement] = await database.npm.attestations.of("demo", "1.0.0");
  expect(statement?.predicateType).toBe("https://slsa.dev/provenance/v1");
});

test("asks the search for the scopes of its patterns where a registry lists no names", async () => {
  await using source = await openRegistry();
  await source.fill("@acme/demo", "1.0.0");
  await source.fill("other", "1.0.0");
  const host = await openNpmHost();
  const { stderr, code } = await host.run([source.url, "--pattern", "@acme/*", "--dry-run"]);
  expect(stderr).toContain("The registry has no list of names");
  expect(stderr).toContain("1 packages to compare.");
  expect(code).toBe(0);
  expect(source.requests).toContain("/npm/-/v1/search?text=scope%3Aacme&size=250&from=0");
  expect(source.requests.filter((path) => path.endsWith(".tgz"))).toEqual([]);
});

test("sends its token to the registry, and takes it from the environment", async () => {
  await using source = await openRegistry("the-token");
  await source.fill("demo", "1.0.0");
  const host = await openNpmHost();
  const refused = await host.run([source.url, "--packages", "demo"]);
  expect(refused.stderr).toContain("needs other credentials (401)");
  const more = { THE_TOKEN: "the-token" };
  const words = [source.url, "--packages", "demo", "--token-env", "THE_TOKEN"];
  expect((await host.run(words, more)).code).toBe(0);
});

test.each<[readonly string[], string]>([
  [["./nowhere"], "nowhere does not exist"],
  [["https://me:secret@registry.example"], "not in the address"],
  [["https://registry.example", "--token-env", "NOT_SET"], "NOT_SET is not set"],
  [["https://registry.example", "--username", "me"], "--username requires --password-env"],
  [[".", "--packages", "a b"], '"a b" is not a package name'],
  [[".", "--packages", "demo@latest"], "has an invalid version range"],
  [[".", "--pattern", "$"], "is not a name pattern"],
  [[".", "--concurrency", "0"], "from 1 to 64"],
])("%j is reported in words", async (words, text) => {
  const host = await openNpmHost();
  const { code, stderr } = await host.run(words);
  expect(stderr).toContain(text);
  expect(stderr).not.toContain("secret");
  expect(code).toBe(1);
});

test("reports implausible files of a folder, and imports the rest", async () => {
  const host = await openNpmHost();
  const storage = await mkdtemp(join(root, "storage-"));
  await cp(STORAGE, storage, { recursive: true });
  await writeFile(join(storage, "changed/package.json"), "{");
  const path = join(storage, "@acme/gears/package.json");
  const document = JSON.parse(await readFile(path, "utf8"));
  const versions = { ...document.versions, "../../widgets/x": document.versions["0.3.0"] };
  await writeFile(path, JSON.stringify({ ...document, versions }));
  await writeFile(
    join(storage, ".verdaccio-db.json"),
    JSON.stringify({ list: ["../up", "widgets", "changed", "@acme/gears", 7] }),
  );
  const report = await host.report(storage);
  expect(report).toMatchObject({ imported: 4, refused: 2, failed: 1 });
  const reasons = report.refusals.map(({ reason }) => reason).toSorted();
  expect(reasons).toEqual([
    "It is not a semantic version.",
    "This registry does not accept this package name.",
  ]);
  expect(report.failures.map(({ reason }) => reason).join()).toContain("is not JSON");
});

test("reports each invalid name, and imports names that follow the older rules", async () => {
  const names = { old: "JSONStream", core: "http", odd: "it's(1)~!*", "a b": "a b", _x: "_x" };
  const storage = await mkdtemp(join(root, "storage-"));
  for (const name of Object.values(names)) await storeIn(storage, name);
  await storeIn(storage, "broken", { "1.0.0": 7 });
  await storeIn(storage, "empty", {});
  const lost = ["_x", "a b", "broken", "empty"];
  for (const copies of [[], ["--copies"]]) {
    const host = await openNpmHost();
    const report = await host.report(storage, ...copies);
    expect(report).toMatchObject({ code: 1, imported: 3, refused: 4, isComplete: false });
    expect(report.refusals.map(({ name }) => name).toSorted()).toEqual(lost);
    await using database = await host.database();
    for (const name of ["JSONStream", "http", "it's(1)~!*"]) {
      expect((await findPackage(database, name)).versions).toHaveLength(1);
    }
  }

  await using source = await openRegistry();
  await source.fill("demo", "1.0.0");
  source.listed.names = ["demo", "a b", "../up", "_x", "demo/../x"];
  const host = await openNpmHost();
  const report = await host.report(source.url);
  expect(report).toMatchObject({ code: 1, imported: 1, refused: 4, isComplete: false });
});

/** A package as Verdaccio keeps it, of one version or of these. */
async function storeIn(storage: string, name: string, versions?: object): Promise<void> {
  const tarball = buildTarball({ name, version: "1.0.0" });
  const shasum = createHash("sha1").update(tarball).digest("hex");
  const manifest = { name, version: "1.0.0", dist: { shasum } };
  const document = { name, versions: versions ?? { "1.0.0": manifest } };
  await mkdir(join(storage, name), { recursive: true });
  await writeFile(join(storage, name, "package.json"), JSON.stringify(document));
  await writeFile(join(storage, name, `${name}-1.0.0.tgz`), tarball);
}

test("takes no time from before there was npm, nor one that is still to come", async () => {
  const host = await openNpmHost();
  const storage = await mkdtemp(join(root, "storage-"));
  await cp(STORAGE, storage, { recursive: true });
  const path = join(storage, "widgets/package.json");
  const document = JSON.parse(await readFile(path, "utf8"));
  const time = { "1.0.0": "-271821-04-20T00:00:00.000Z", "1.1.0": "9999-12-31T00:00:00.000Z" };
  await writeFile(path, JSON.stringify({ ...document, time: { ...document.time, ...time } }));
  const start = Date.now();
  const report = await host.report(storage, "--packages", "widgets@1");
  expect(report).toMatchObject({ code: 0, imported: 2 });

  await using database = await host.database();
  for (const { publishedAt } of (await findPackage(database, "widgets")).versions) {
    expect(publishedAt.getTime()).toBeGreaterThanOrEqual(start);
    expect(publishedAt.getTime()).toBeLessThanOrEqual(Date.now());
  }
});
