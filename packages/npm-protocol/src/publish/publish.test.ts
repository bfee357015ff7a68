import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { LIST_LIMITS } from "../manifest/list-limits.ts";
import { parseOldPackageName } from "../package-name.ts";
import { buildTarball } from "../testing/build-tarball.ts";
import type { MemoryNpmPorts } from "../testing/memory-ports.ts";
import { createMemoryNpmPorts } from "../testing/memory-ports.ts";
import type { PublishWish } from "../testing/publish-body.ts";
import { publishBody } from "../testing/publish-body.ts";
import { publish } from "./publish.ts";

const publishedAt = new Date("2026-04-01T12:00:00Z");
const alice = { actor: "alice" };

test.each(["npm", "pnpm", "yarn"] as const)("names a version that %s sent", async (style) => {
  const ports = createMemoryNpmPorts();
  const tarball = buildTarball({ name: "@acme/demo", files: { "index.js": "12345" } });
  const wish = { style, name: "@acme/demo", tarball, readme: "# Demo" };
  expect(await send(ports, wish)).toEqual({ status: "published", version: "1.0.0" });

  const npmPackage = await ports.lookup.find("@acme/demo");
  expect(npmPackage).toMatchObject({ distTags: { latest: "1.0.0" }, readme: "# Demo" });
  expect(npmPackage?.versions[0]).toMatchObject({ version: "1.0.0", fileCount: 2, publishedAt });
  expect(JSON.parse(npmPackage?.versions[0]?.manifest ?? "")).toMatchObject({
    _npmUser: { name: "alice" },
  });
  const stored = await ports.lookup.tarball("@acme/demo", "1.0.0");
  expect(stored?.size).toBe(tarball.length);
  expect(ports.inspect.blobs()).toEqual([stored?.key]);
  expect(ports.inspect.staged()).toBe(0);
  expect(ports.inspect.counted).toEqual(["push"]);
});

test("takes the same upload twice for one, and keeps no second copy", async () => {
  const ports = createMemoryNpmPorts();
  await send(ports, {});
  expect(await send(ports, {})).toEqual({ status: "replayed", version: "1.0.0" });
  expect(ports.inspect.blobs()).toHaveLength(1);
  expect(ports.inspect.counted).toEqual(["push"]);
});

test("keeps no bytes of a version that exists already", async () => {
  const ports = createMemoryNpmPorts();
  await send(ports, {});
  const tarball = buildTarball({ files: { "other.js": "x" } });
  expect(await send(ports, { tarball })).toEqual({ status: "exists", version: "1.0.0" });
  expect(ports.inspect.blobs()).toHaveLength(1);
});

test("keeps one copy of bytes that two versions share", async () => {
  const ports = createMemoryNpmPorts();
  const shared = { packageJson: '{"name":"demo","version":"1.0.0"}' };
  await send(ports, { tarball: buildTarball(shared) });
  const tarball = await ports.lookup.tarball("demo", "1.0.0");
  const recorder: MemoryNpmPorts["recorder"] = {
    ...ports.recorder,
    publish: async () => ({ status: "published", isDuplicate: true }),
  };
  await send({ ...ports, recorder }, { tarball: buildTarball(shared) });
  expect(ports.inspect.blobs()).toEqual([tarball?.key]);
});

test.each<[string, PublishWish, string]>([
  ["a broken document", { overrides: { versions: {} } }, "document-invalid"],
  ["a refused tarball", { tarball: buildTarball({ packageJson: false }) }, "tarball-refused"],
  ["other bytes", { overrides: { versions: claimed("sha512-AAAA") } }, "integrity-differs"],
  ["a hidden script", { tarball: withScript("evil") }, "manifest-differs"],
  ["too large a tarball", { tarball: Buffer.alloc(200_000) }, "too-large"],
  ["a new name in upper case", { name: "Demo" }, "name-invalid"],
])("leaves nothing behind of %s", async (_, wish, code) => {
  const ports = createMemoryNpmPorts();
  await expect(send(ports, wish)).rejects.toMatchObject({ code });
  expect(await ports.lookup.find(wish.name ?? "demo")).toBeUndefined();
  expect(ports.inspect).toMatchObject({ counted: [] });
  expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([0, 0]);
});

test("a publish whose manifest has more than its tarball is served as its tarball", async () => {
  const ports = createMemoryNpmPorts();
  const tarball = buildTarball({ manifest: { engines: { node: ">=24" } } });
  const versions = manifestOf(tarball, { scripts: { postinstall: "husky" }, gypfile: true });
  expect(await send(ports, { tarball, overrides: { versions } })).toEqual({
    status: "published",
    version: "1.0.0",
    notices: [
      "The manifest differs from the package.json in the tarball in: scripts, engines. The " +
        "registry serves these fields of the tarball.",
    ],
  });
  const [version] = (await ports.lookup.find("demo"))?.versions ?? [];
  const manifest: unknown = JSON.parse(version?.manifest ?? "");
  expect(manifest).toMatchObject({ engines: { node: ">=24" } });
  for (const field of ["scripts", "hasInstallScript", "gypfile"]) {
    expect(manifest).not.toHaveProperty(field);
  }
});

test("npm's script for a gyp file that is not packed is accepted and not served", async () => {
  const ports = createMemoryNpmPorts();
  const tarball = buildTarball();
  const scripts = { install: "node-gyp rebuild" };
  const versions = manifestOf(tarball, { scripts, gypfile: true });
  expect(await send(ports, { tarball, overrides: { versions } })).toEqual({
    status: "published",
    version: "1.0.0",
  });
  const [version] = (await ports.lookup.find("demo"))?.versions ?? [];
  expect(version?.manifest).not.toContain("gyp");
});

test.each<[unknown, string | undefined, boolean]>([
  ["use 2", "use 2", false],
  ["x".repeat(8192), "x".repeat(8192), false],
  ["", undefined, false],
  [false, undefined, false],
  [null, undefined, false],
  [true, undefined, true],
  [["use 2"], undefined, true],
])("takes %j in package.json as the deprecation of its version", async (...row) => {
  const [deprecated, text, hasNotice] = row;
  const ports = createMemoryNpmPorts();
  const outcome = await send(ports, { manifest: { deprecated } });
  expect(outcome).toEqual({
    status: "published",
    version: "1.0.0",
    ...(hasNotice && {
      notices: ["deprecated in package.json is not a text, so the version is not deprecated."],
    }),
  });
  const [version] = (await ports.lookup.find("demo"))?.versions ?? [];
  expect(version?.deprecated).toBe(text);
  expect(JSON.parse(version?.manifest ?? "")).not.toHaveProperty("deprecated");
});

test("refuses a deprecation that is longer than npm deprecate may send", async () => {
  const ports = createMemoryNpmPorts();
  const manifest = { deprecated: "x".repeat(8193) };
  await expect(send(ports, { manifest })).rejects.toMatchObject({
    code: "document-invalid",
    message: "The deprecation of 1.0.0 is longer than 8192 characters; shorten it.",
  });
  expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([0, 0]);
});

test("leaves nothing behind of a body that stops", async () => {
  const ports = createMemoryNpmPorts();
  const body = publishBody();
  for (const length of [10, body.indexOf('"data"') + 20, body.length - 3]) {
    await expect(sendText(ports, body.slice(0, length))).rejects.toMatchObject({
      code: "document-invalid",
    });
  }
  expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([0, 0]);
});

test("keeps the bytes when it cannot know whether the version was named", async () => {
  const ports = createMemoryNpmPorts();
  const recorder: MemoryNpmPorts["recorder"] = {
    ...ports.recorder,
    publish: async () => {
      throw new Error("connection lost");
    },
  };
  await expect(send({ ...ports, recorder }, {})).rejects.toThrow("connection lost");
  expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([1, 0]);
});

test("an existing package may continue under a name that is no longer allowed", async () => {
  const ports = createMemoryNpmPorts();
  const existing = { ...ports, lookup: { ...ports.lookup, find: async () => undefined } };
  await expect(send(existing, { name: "Demo" })).rejects.toMatchObject({ code: "name-invalid" });
  const oldPackage = { name: "Demo", revision: 1, createdAt: publishedAt, modifiedAt: publishedAt };
  const lookup = {
    ...ports.lookup,
    find: async () => ({ ...oldPackage, distTags: {}, versions: [] }),
  };
  const outcome = await send({ ...ports, lookup }, { name: "Demo" });
  expect(outcome).toEqual({ status: "published", version: "1.0.0" });
});

test("returns the body of a request that is not a publish", async () => {
  const outcome = await sendText(createMemoryNpmPorts(), '{"versions":{},"_attachments":{}}');
  expect(outcome).toMatchObject({ status: "other", operation: "deprecate" });
});

function send(ports: MemoryNpmPorts, wish: PublishWish) {
  return sendText(ports, publishBody(wish), wish.name);
}

function sendText(ports: MemoryNpmPorts, text: string, packageName = "demo") {
  const name = parseOldPackageName(packageName);
  if (!name) throw new Error("no name");
  const upload = { name, onRevision: false, caller: alice, publishedAt, tarballBytesMax: 100_000 };
  return publish(ports, { ...upload, body: chunksOf(text) });
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let index = 0; index < bytes.length; index += 100) yield bytes.subarray(index, index + 100);
}

function claimed(integrity: string) {
  return { "1.0.0": { name: "demo", version: "1.0.0", dist: { integrity } } };
}

function manifestOf(tarball: Uint8Array, fields: object) {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  return { "1.0.0": { name: "demo", version: "1.0.0", dist: { integrity }, ...fields } };
}

function withScript(postinstall: string) {
  return buildTarball({ manifest: { scripts: { postinstall } } });
}

test.each<[string, Record<string, unknown>, string]>([
  [
    "keywords",
    { keywords: numbered(LIST_LIMITS.keywords + 1) },
    "keywords in package.json has 1001",
  ],
  [
    "dependencies",
    { dependencies: mapOf(LIST_LIMITS.dependencies + 1) },
    "dependencies in package.json has 5001",
  ],
  [
    "peer dependencies",
    { peerDependencies: mapOf(LIST_LIMITS.peerDependencies + 1) },
    "peerDependencies in package.json has 5001",
  ],
  ["commands", { bin: mapOf(LIST_LIMITS.bin + 1) }, "bin in package.json has 1001"],
])("refuses a package with too many %s", async (_, manifest, words) => {
  const ports = createMemoryNpmPorts();
  const tarball = buildTarball({ manifest });
  await expect(send(ports, { manifest, tarball })).rejects.toThrow(words);
  // What only the tarball has counts, too.
  await expect(send(ports, { tarball })).rejects.toThrow(words);
  expect(ports.inspect.staged()).toBe(0);
  expect(ports.inspect.blobs()).toEqual([]);
});

test("takes as many keywords and dependencies as a package may have", async () => {
  const manifest = {
    keywords: numbered(LIST_LIMITS.keywords),
    dependencies: mapOf(LIST_LIMITS.dependencies),
  };
  const outcome = await send(createMemoryNpmPorts(), { manifest });
  expect(outcome.status).toBe("published");
});

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `n${index}`);
}

function mapOf(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(numbered(count).map((name) => [name, "1.0.0"]));
}
