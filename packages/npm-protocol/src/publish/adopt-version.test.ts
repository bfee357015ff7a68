import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { parseOldPackageName } from "../package-name.ts";
import type { VerifyBundle } from "../provenance/ports.ts";
import { buildTarball } from "../testing/build-tarball.ts";
import { createMemoryNpmPorts } from "../testing/memory-ports.ts";
import { provenanceBundle } from "../testing/provenance-bundle.ts";
import type { ForeignVersion } from "./adopt-version.ts";
import { adoptVersion } from "./adopt-version.ts";

const NOW = new Date("2026-03-04T05:06:07Z");
const THEN = new Date("2016-03-22T01:02:03Z");
const BYTES = buildTarball({ name: "demo", manifest: { license: "MIT" } });
const SHASUM = createHash("sha1").update(BYTES).digest("hex");
const SHA512 = createHash("sha512").update(BYTES).digest("hex");
const OPTIONS = { caller: { actor: "operator" }, now: NOW, tarballBytesMax: 10_000 };

function parseName(text: string) {
  const name = parseOldPackageName(text);
  if (!name) throw new Error(`${text} is no name`);
  return name;
}

function foreign(changes: Partial<ForeignVersion> = {}): ForeignVersion {
  const dist = { integrity: `sha512-${Buffer.from(SHA512, "hex").toString("base64")}` };
  return {
    name: parseName("demo"),
    version: "1.0.0",
    manifest: { name: "demo", version: "1.0.0", license: "MIT", dist },
    body: bytes(),
    publisher: "alice",
    publishedAt: THEN,
    tags: ["latest", "1.x"],
    ...changes,
  };
}

async function* bytes() {
  yield BYTES;
}

test("a version keeps its time and its publisher, and tags that can be tags", async () => {
  const ports = createMemoryNpmPorts({ now: () => NOW });
  const adopted = await adoptVersion(ports, foreign({ readme: "# Demo" }), OPTIONS);
  expect(adopted).toEqual({ outcome: { status: "published", isDuplicate: false }, remarks: [] });
  const npmPackage = await ports.lookup.find("demo");
  expect(npmPackage).toMatchObject({
    createdAt: THEN,
    modifiedAt: NOW,
    distTags: { latest: "1.0.0" },
    readme: "# Demo",
  });
  const [version] = npmPackage?.versions ?? [];
  expect(version?.publishedAt).toEqual(THEN);
  expect(version?.manifest).toContain('"_npmUser":{"name":"alice","email":""}');
  expect(ports.inspect.staged()).toBe(0);
});

test("an old version has its shasum alone", async () => {
  const ports = createMemoryNpmPorts();
  const manifest = { name: "demo", version: "1.0.0", dist: { shasum: SHASUM.toUpperCase() } };
  const adopted = await adoptVersion(ports, foreign({ manifest }), OPTIONS);
  expect(adopted.outcome.status).toBe("published");
});

test.each<[string, Partial<ForeignVersion>, string]>([
  ["no hash", { manifest: { name: "demo", version: "1.0.0", dist: {} } }, "lists no hash"],
  ["another package", { manifest: { name: "other", version: "1.0.0" } }, "of another package"],
  ["another version", { manifest: { name: "demo", version: "1.0.1" } }, "or version"],
  ["a name that nothing here holds", { name: parseName("n".repeat(215)) }, "longer than the 214"],
  ["no version", { version: "latest" }, "not a semantic version"],
  [
    "other bytes",
    { manifest: { name: "demo", version: "1.0.0", dist: { shasum: "00" } } },
    "its shasum is another",
  ],
])("what has %s is refused, and leaves nothing behind", async (_, changes, words) => {
  const ports = createMemoryNpmPorts();
  await expect(adoptVersion(ports, foreign(changes), OPTIONS)).rejects.toThrow(words);
  expect(ports.inspect.blobs()).toEqual([]);
  expect(ports.inspect.staged()).toBe(0);
});

test("a manifest that differs from its tarball gives way to it, with a remark", async () => {
  const ports = createMemoryNpmPorts();
  const packed = { name: "demo", manifest: { scripts: { postinstall: "build" } } };
  const tarball = buildTarball(packed);
  const shasum = createHash("sha1").update(tarball).digest("hex");
  const manifest = {
    name: "demo",
    version: "1.0.0",
    dist: { shasum },
    dependencies: { other: "1" },
  };
  const body = Readable.from([tarball]);
  const { outcome, remarks } = await adoptVersion(ports, foreign({ manifest, body }), OPTIONS);
  expect(outcome.status).toBe("published");
  expect(remarks).toEqual([expect.stringContaining("in: dependencies, scripts.")]);
  const [version] = (await ports.lookup.find("demo"))?.versions ?? [];
  const stored: unknown = JSON.parse(version?.manifest ?? "");
  expect(stored).toMatchObject({ scripts: { postinstall: "build" }, hasInstallScript: true });
  expect(stored).not.toHaveProperty("dependencies");
});

test.each([
  ["name", { name: "other" }],
  ["version", { manifest: { version: "2.0.0" } }],
])("a tarball with another %s is refused", async (field, packed) => {
  const tarball = buildTarball({ name: "demo", ...packed });
  const shasum = createHash("sha1").update(tarball).digest("hex");
  const manifest = { name: "demo", version: "1.0.0", dist: { shasum } };
  const body = Readable.from([tarball]);
  const adopted = adoptVersion(createMemoryNpmPorts(), foreign({ manifest, body }), OPTIONS);
  await expect(adopted).rejects.toThrow(`in: ${field}.`);
});

test("a tarball is no larger than allowed", async () => {
  const ports = createMemoryNpmPorts();
  const options = { ...OPTIONS, tarballBytesMax: BYTES.length - 1 };
  await expect(adoptVersion(ports, foreign(), options)).rejects.toThrow("larger than");
  expect(ports.inspect.staged()).toBe(0);
});

test("a dry run checks everything and keeps nothing", async () => {
  const ports = createMemoryNpmPorts();
  const adopted = await adoptVersion(ports, foreign(), { ...OPTIONS, dryRun: true });
  expect(adopted.outcome).toEqual({ status: "wanted" });
  expect(ports.inspect.blobs()).toEqual([]);
  expect(await ports.lookup.find("demo")).toBeUndefined();
});

test.each<[string, string, Awaited<ReturnType<VerifyBundle>>, string | undefined]>([
  ["is good", SHA512, { status: "verified" }, undefined],
  ["is of another tarball", "00", { status: "verified" }, "with another sha512"],
  ["is forged", SHA512, { status: "refused", reason: "no such log" }, "no such log"],
])("a version stays when its statement %s, and the statement if it holds", async (...row) => {
  const [, sha512, verdict, words] = row;
  const ports = createMemoryNpmPorts({ verifyBundle: async () => verdict });
  const provenance = provenanceBundle({ name: "demo", version: "1.0.0", sha512 });
  const { outcome, remarks } = await adoptVersion(ports, foreign({ provenance }), OPTIONS);
  expect(outcome.status).toBe("published");
  const attestations = await ports.attestations.of("demo", "1.0.0");
  expect(attestations).toHaveLength(words === undefined ? 1 : 0);
  expect(remarks.join()).toContain(words ?? "");
  expect(remarks).toHaveLength(words === undefined ? 0 : 1);
});

test("what was unpublished here does not come back", async () => {
  const ports = createMemoryNpmPorts();
  const { caller } = OPTIONS;
  await adoptVersion(ports, foreign(), OPTIONS);
  const revision = (await ports.lookup.find("demo"))?.revision ?? 0;
  await ports.lifecycle.unpublish("demo", { versions: "all", revision }, caller);
  const again = await adoptVersion(ports, foreign(), OPTIONS);
  expect(again.outcome).toEqual({ status: "deleted" });
});
