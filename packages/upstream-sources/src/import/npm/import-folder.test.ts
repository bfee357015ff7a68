import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openNpmFolder } from "./import-npm.ts";
import { NOW, openTarget } from "./import-target.test.support.ts";
import type { ChoiceOptions } from "./package-choice.ts";
import { parsePackageChoice } from "./package-choice.ts";

const LONG_AGO = "2019-08-07T06:05:04.000Z";
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sealhouse-import-npm-"));
});
afterAll(() => rm(root, { recursive: true }));

/** Writes a package as Verdaccio keeps it. */
async function store(
  folder: string,
  name: string,
  fields: { readonly versions?: Record<string, object>; readonly [field: string]: unknown } = {},
): Promise<void> {
  const { versions = { "1.0.0": {} }, ...document } = fields;
  const place = join(folder, name);
  await mkdir(place, { recursive: true });
  const manifests: Record<string, unknown> = {};
  for (const [version, manifest] of Object.entries(versions)) {
    const tarball = buildTarball({ name, version });
    const shasum = createHash("sha1").update(tarball).digest("hex");
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    manifests[version] =
      manifest === null ? 7 : { name, version, dist: { shasum, integrity }, ...manifest };
    await writeFile(join(place, `${name.split("/").at(-1)}-${version}.tgz`), tarball);
  }
  const text = JSON.stringify({ name, versions: manifests, ...document });
  await writeFile(join(place, "package.json"), text);
}

const listIn = (folder: string, list: unknown) =>
  writeFile(join(folder, ".verdaccio-db.json"), JSON.stringify({ list, secret: "s" }));
const folderFor = () => mkdtemp(join(root, "storage-"));

test("imports a package with its times, tags, deprecations, readme and maintainers", async () => {
  const folder = await folderFor();
  await store(folder, "widgets", {
    versions: { "1.1.0": {}, "1.0.0": { deprecated: "use 1.1.0" }, "2.0.0-rc.1": {} },
    "dist-tags": { latest: "1.1.0", next: "2.0.0-rc.1", stable: "1.0.0" },
    time: {
      "1.0.0": LONG_AGO,
      "1.1.0": "2020-01-01T00:00:00.000Z",
      "2.0.0-rc.1": "2020-02-01T00:00:00.000Z",
    },
    readme: "# Widgets",
    maintainers: [{ name: "ann", email: "ann@packages.example" }],
  });
  const target = openTarget();
  const source = await openNpmFolder(folder, false);
  expect(await target.run(source)).toMatchObject({ imported: 3, refused: 0, isComplete: true });
  expect(target.notices).toEqual([
    ".verdaccio-db.json is missing, so all packages in the folder are imported.",
    "1 packages to compare.",
  ]);
  const widgets = await target.find("widgets");
  expect(
    widgets.versions.map(({ version, publishedAt }) => [version, publishedAt.toISOString()]),
  ).toEqual([
    ["1.0.0", LONG_AGO],
    ["1.1.0", "2020-01-01T00:00:00.000Z"],
    ["2.0.0-rc.1", "2020-02-01T00:00:00.000Z"],
  ]);
  expect(widgets.distTags).toEqual({ latest: "1.1.0", next: "2.0.0-rc.1", stable: "1.0.0" });
  expect(widgets.versions.map(({ deprecated }) => deprecated)).toEqual([
    "use 1.1.0",
    undefined,
    undefined,
  ]);
  expect(widgets.readme).toBe("# Widgets");
  expect(widgets.maintainers?.map(({ name }) => name)).toEqual(["ann"]);
});

test("imports again what is missing, and follows tags that moved at the source", async () => {
  const folder = await folderFor();
  const versions = { "1.0.0": {}, "1.1.0": {} };
  await store(folder, "widgets", { versions, "dist-tags": { latest: "1.0.0", stable: "1.0.0" } });
  const target = openTarget();
  const source = await openNpmFolder(folder, false);
  await target.run(source, { packages: "widgets@1.0.0" });
  const caller = { actor: "ada" };
  await target.ports.lifecycle.deprecate("widgets", new Map([["1.0.0", "ours"]]), caller);
  await store(folder, "widgets", {
    versions: { "1.0.0": { deprecated: "theirs" }, "1.1.0": {} },
    "dist-tags": { latest: "1.1.0", stable: "1.0.0" },
  });
  expect(await target.run(source)).toMatchObject({ imported: 1, existing: 1 });
  const widgets = await target.find("widgets");
  expect(widgets.distTags).toEqual({ latest: "1.1.0", stable: "1.0.0" });
  expect(widgets.versions[0]?.deprecated).toBe("ours");
});

test("keeps a tag that points to a version which the source does not have", async () => {
  const folder = await folderFor();
  await store(folder, "widgets", { versions: { "9.0.0": {} }, "dist-tags": { latest: "9.0.0" } });
  const target = openTarget();
  await target.run(await openNpmFolder(folder, false));
  const other = await folderFor();
  await store(other, "widgets", { "dist-tags": { latest: "1.0.0" } });
  await target.run(await openNpmFolder(other, false));
  expect((await target.find("widgets")).distTags).toEqual({ latest: "9.0.0" });
});

test("the highest version becomes latest after a refusal of the latest one", async () => {
  const folder = await folderFor();
  await store(folder, "changed", {
    versions: { "1.0.0": {}, "1.1.0": { version: "1.1.1" }, "0.9.0": {} },
    "dist-tags": { latest: "1.1.0" },
  });
  const target = openTarget();
  const report = await target.run(await openNpmFolder(folder, false));
  expect(report).toMatchObject({ imported: 2, refused: 1 });
  expect((await target.find("changed")).distTags).toEqual({ latest: "1.0.0" });
});

test.each<[string, ChoiceOptions, readonly string[]]>([
  ["all names", {}, ["@acme/gears@0.3.0", "widgets@1.0.0", "widgets@1.1.0"]],
  ["a name", { packages: "widgets" }, ["widgets@1.0.0", "widgets@1.1.0"]],
  ["a range", { packages: "widgets@<1.1" }, ["widgets@1.0.0"]],
  [
    "two ranges",
    { packages: "widgets@1.0.0, widgets@1.1.0 ,@acme/gears@^9" },
    ["widgets@1.0.0", "widgets@1.1.0"],
  ],
  ["a pattern", { pattern: "@acme/*" }, ["@acme/gears@0.3.0"]],
  [
    "a name and a pattern",
    { packages: "widgets,@acme/gears", pattern: "@acme/*" },
    ["@acme/gears@0.3.0"],
  ],
])("imports the versions that %s selects", async (_, choice, expected) => {
  const folder = await folderFor();
  await store(folder, "widgets", { versions: { "1.0.0": {}, "1.1.0": {} } });
  await store(folder, "@acme/gears", { versions: { "0.3.0": {} } });
  const target = openTarget();
  await target.run(await openNpmFolder(folder, false), choice);
  const found = [];
  for (const name of ["@acme/gears", "widgets"]) {
    const versions = (await target.ports.lookup.find(name))?.versions ?? [];
    found.push(...versions.map(({ version }) => `${name}@${version}`));
  }
  expect(found).toEqual(expected);
});

test.each([
  [{ packages: "a b" }, '"a b" is not a package name'],
  [{ packages: "demo@latest" }, "has an invalid version range"],
  [{ pattern: "$" }, "is not a name pattern"],
  [{ packagesFrom: "/nowhere/at/all" }, "ENOENT"],
])("refuses the choice %j in words", async (choice, expected) => {
  await expect(parsePackageChoice(choice)).rejects.toThrow(expected);
});

test("reads names from a file, with comments", async () => {
  const folder = await folderFor();
  const path = join(folder, "names.txt");
  await writeFile(path, "# ours\nwidgets@^1 # old\n\n@acme/gears\n");
  const choice = await parsePackageChoice({ packagesFrom: path, pattern: "@acme/*,@beta/x-*" });
  expect([choice.names, choice.scopes]).toEqual([
    ["widgets", "@acme/gears"],
    ["@acme", "@beta"],
  ]);
  expect(choice.includes("widgets", "2.0.0")).toBe(false);
  expect((await parsePackageChoice({ pattern: "@acme/*,left-*" })).scopes).toEqual([]);
});

test("takes Verdaccio's own packages, and copies on request", async () => {
  const folder = await folderFor();
  for (const name of ["widgets", "upstream-thing"]) await store(folder, name);
  await listIn(folder, ["widgets", "widgets", 7]);
  const own = openTarget();
  expect(await own.run(await openNpmFolder(folder, false))).toMatchObject({ imported: 1 });
  const all = openTarget();
  expect(await all.run(await openNpmFolder(folder, true))).toMatchObject({ imported: 2 });
});

test("refuses other bytes for a version, and a tarball that differs from its hash", async () => {
  const folder = await folderFor();
  await store(folder, "widgets");
  const target = openTarget();
  const source = await openNpmFolder(folder, false);
  await target.run(source);
  await store(folder, "widgets", { versions: { "1.0.0": { dist: { shasum: "a".repeat(40) } } } });
  const { refusals, refusedBy } = await target.run(source);
  expect(refusals).toEqual([
    { name: "widgets@1.0.0", reason: "This version exists with other bytes." },
  ]);
  expect(refusedBy).toEqual({ "other-bytes": 1 });
  await store(folder, "forged", { versions: { "1.0.0": {}, "1.1.0": {} } });
  const forged = buildTarball({ name: "forged", version: "9.9.9" });
  await writeFile(join(folder, "forged/forged-1.1.0.tgz"), forged);
  const report = await target.run(source, { packages: "forged" });
  expect(report).toMatchObject({ imported: 1, refused: 1 });
  expect(report.refusals[0]?.reason).toContain("The tarball of forged@1.1.0 does not match");
});

test("reports implausible documents, and imports the rest", async () => {
  const folder = await folderFor();
  await store(folder, "good");
  await store(folder, "paths", { versions: { "1.0.0": {} } });
  const path = join(folder, "paths/package.json");
  const version = { name: "paths", version: "../../good/x", dist: { shasum: "a" } };
  await writeFile(path, JSON.stringify({ name: "paths", versions: { "../../good/x": version } }));
  await store(folder, "empty", { versions: {} });
  await store(folder, "broken", { versions: { "1.0.0": null as never } });
  await mkdir(join(folder, "no-json"));
  await writeFile(join(folder, "no-json/package.json"), "{");
  await mkdir(join(folder, "other"));
  await writeFile(join(folder, "other/package.json"), '{"name":"another"}');
  await store(folder, "lost", { versions: { "1.0.0": {} } });
  await rm(join(folder, "lost/lost-1.0.0.tgz"));
  await listIn(folder, [
    "../up",
    "good",
    "paths",
    "empty",
    "broken",
    "no-json",
    "other",
    "lost",
    "absent",
  ]);
  const target = openTarget();
  const report = await target.run(await openNpmFolder(folder, false));
  expect(report).toMatchObject({ imported: 1, refused: 5, failed: 3, isComplete: false });
  expect(report.refusals.map(({ name, reason }) => `${name}: ${reason}`).toSorted()).toEqual([
    "../up: This registry does not accept this package name.",
    "broken: The source has no valid manifest of version 1.0.0.",
    "empty: The source has no version of this package.",
    "lost@1.0.0: The source does not have the tarball.",
    "paths@../../good/x: It is not a semantic version.",
  ]);
  const failures = report.failures.map(({ reason }) => reason).join("\n");
  expect(failures).toContain("no-json/package.json is not JSON.");
  expect(failures).toContain("other/package.json does not describe other.");
  expect(failures).toContain("The source does not have this package.");
});

test.each(["JSONStream", "http", "it's(1)~!*"])("imports the old name %s", async (name) => {
  const folder = await folderFor();
  await store(folder, name);
  const target = openTarget();
  expect(await target.run(await openNpmFolder(folder, true))).toMatchObject({ imported: 1 });
});

test.each([
  ["before there was npm", "-271821-04-20T00:00:00.000Z"],
  ["still to come", "9999-12-31T00:00:00.000Z"],
  ["no time", "yesterday"],
])("a time that is %s counts as now", async (_, time) => {
  const folder = await folderFor();
  await store(folder, "timed", { time: { "1.0.0": time } });
  const target = openTarget();
  await target.run(await openNpmFolder(folder, false));
  expect((await target.find("timed")).versions[0]?.publishedAt).toEqual(NOW);
});

test("a dry run of a folder checks its tarballs, and imports nothing", async () => {
  const folder = await folderFor();
  await store(folder, "widgets", { versions: { "1.0.0": {}, "1.1.0": {} } });
  await rm(join(folder, "widgets/widgets-1.1.0.tgz"));
  const target = openTarget();
  const report = await target.run(await openNpmFolder(folder, false), { dryRun: true });
  expect(report).toMatchObject({ imported: 0, importable: 1, refused: 1 });
  expect(await target.ports.lookup.find("widgets")).toBeUndefined();
  expect(target.ports.inspect.blobs()).toEqual([]);
});

test("stops at the first complaint when asked to", async () => {
  const folder = await folderFor();
  await store(folder, "a-broken", { versions: {} });
  await store(folder, "b-good");
  await listIn(folder, ["../up", "b-good"]);
  const target = openTarget();
  const options = { failFast: true, concurrency: 1 };
  const report = await target.run(await openNpmFolder(folder, false), options);
  expect(report).toMatchObject({ imported: 0, refused: 1, isInterrupted: true });
});

test("stops on request, and reports what it has", async () => {
  const folder = await folderFor();
  for (const name of ["a", "b", "c"]) await store(folder, name);
  const stop = new AbortController();
  const target = openTarget();
  const report = await target.run(await openNpmFolder(folder, false), {
    concurrency: 1,
    signal: stop.signal,
    onProgress: () => stop.abort(new Error("stop")),
  });
  expect(report).toMatchObject({ imported: 1, isInterrupted: true, isComplete: false });
});

test("refuses a folder that does not exist", async () => {
  await expect(openNpmFolder(join(root, "nowhere"), false)).rejects.toThrow(
    "nowhere does not exist. The address of a registry begins with http or https.",
  );
});
