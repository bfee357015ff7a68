import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "@sealhouse/database";
import { expect, test } from "vitest";
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

test("a dry run of a folder checks every tarball, and changes nothing", async () => {
  const host = await openNpmHost();
  const report = await host.report(STORAGE, "--dry-run");
  expect(report).toMatchObject({ code: 1, imported: 0, importable: 5, refused: 1 });
  await using database = await host.database();
  expect(await database.npm.lookup.find("widgets")).toBeUndefined();
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
