import { createHash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { createLocalCache } from "./local-cache.ts";

const SOURCE = "https://feed.example/v3/index.json";
const BYTES = Buffer.from(buildNupkg({ id: "Acme.Widgets", version: "1.0.0" }));
const FILE = "acme.widgets.1.0.0.nupkg";

type Files = {
  readonly bytes?: Buffer;
  readonly sha512?: string;
  readonly metadata?: string;
};

/** A folder in the form of NuGet's clients, with one package. */
async function openCache({ bytes = BYTES, ...files }: Files = {}) {
  const outer = await realpath(await mkdtemp(join(tmpdir(), "sealhouse-packages-")));
  const root = join(outer, "packages");
  const folder = join(root, "acme.widgets", "1.0.0");
  await mkdir(folder, { recursive: true });
  const sha512 = files.sha512 ?? createHash("sha512").update(BYTES).digest("base64");
  await writeFile(join(folder, FILE), bytes);
  await writeFile(join(folder, `${FILE}.sha512`), sha512);
  const metadata = files.metadata ?? JSON.stringify({ version: 2, source: SOURCE });
  await writeFile(join(folder, ".nupkg.metadata"), metadata);
  const warnings: string[] = [];
  const find = createLocalCache({
    path: root,
    isCopied: true,
    warn: (text) => warnings.push(text),
  });
  const read = async (id = "acme.widgets", version = "1.0.0") => {
    const cached = await find({ id, version }, { url: new URL(SOURCE) });
    if (!cached) return undefined;
    await using file = await cached();
    const chunks = await Array.fromAsync(file.body);
    const content = Buffer.concat(chunks);
    expect(content.length).toBe(file.size);
    return content;
  };
  const dispose = () => rm(outer, { recursive: true });
  return { outer, root, folder, warnings, read, [Symbol.asyncDispose]: dispose };
}

test("reads a package that was installed from the source", async () => {
  await using cache = await openCache();
  expect(await cache.read()).toEqual(BYTES);
  expect(await cache.read()).toEqual(BYTES);
  expect(cache.warnings).toEqual([]);
});

test.each([
  ["other bytes", { bytes: Buffer.from("other") }, /has another hash than its \.sha512 file/],
  ["a wrong hash file", { sha512: "AAAA" }, /has another hash/],
  ["unreadable metadata", { metadata: "{" }, /could not be read: SyntaxError/],
  ["another source", { metadata: JSON.stringify({ source: "https://other.example/" }) }, undefined],
  ["a folder as its source", { metadata: JSON.stringify({ source: "/packages" }) }, undefined],
  ["no source", { metadata: "{}" }, undefined],
])("ignores a package with %s", async (_what, files, warning) => {
  await using cache = await openCache(files);
  expect(await cache.read()).toBeUndefined();
  if (warning) expect(cache.warnings).toEqual([expect.stringMatching(warning)]);
  else expect(cache.warnings).toEqual([]);
});

test("compares the hash again when the file has changed", async () => {
  await using cache = await openCache();
  expect(await cache.read()).toEqual(BYTES);
  await writeFile(join(cache.folder, FILE), "changed");
  expect(await cache.read()).toBeUndefined();
});

test.each([
  ["acme.widgets", "2.0.0"],
  ["acme.widgets", "1.0"],
  ["Acme.Widgets", "1.0.0"],
  ["../packages/acme.widgets", "1.0.0"],
  ["..", "1.0.0"],
  ["acme.widgets", "../1.0.0"],
])("finds nothing for %s %s", async (id, version) => {
  await using cache = await openCache();
  expect(await cache.read(id, version)).toBeUndefined();
  expect(cache.warnings).toEqual([]);
});

test("never leaves the folder by links", async () => {
  await using cache = await openCache();
  const outside = join(cache.outer, "outside");
  await rename(cache.folder, outside);
  await symlink(outside, cache.folder);
  expect(await cache.read()).toBeUndefined();
  await rm(cache.folder);
  await rename(outside, cache.folder);
  expect(await cache.read()).toEqual(BYTES);
  const file = join(cache.folder, FILE);
  await rename(file, join(cache.outer, FILE));
  await symlink(join(cache.outer, FILE), file);
  expect(await cache.read()).toBeUndefined();
});

test("finds nothing in a folder that does not exist", async () => {
  const warnings: string[] = [];
  const path = join(tmpdir(), "sealhouse-no-packages");
  const find = createLocalCache({ path, isCopied: true, warn: (text) => warnings.push(text) });
  const named = { id: "acme.widgets", version: "1.0.0" };
  expect(await find(named, { url: new URL(SOURCE) })).toBeUndefined();
  expect(warnings).toEqual([]);
});
