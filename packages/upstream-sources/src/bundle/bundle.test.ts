import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { afterAll, expect, test } from "vitest";
import { isSourceError } from "../source-error.ts";
import type { Unbundled, Wanted, WantedList } from "../wanted/wanted.ts";
import { bundleKeyOf, parseTrustKey, publicKeyOf } from "./bundle-key.ts";
import { exportBundle } from "./export-bundle.ts";
import type { BundleExportOptions, BundleExportPorts } from "./export-bundle.ts";
import { importBundle } from "./import-bundle.ts";
import type { BundleImportOptions } from "./import-bundle.ts";
import { caller, createRegistry } from "./memory-registry.test.support.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-bundle-"));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();
const key = bundleKeyOf(Buffer.alloc(32, 7));
const from = "list";

const base = buildImage({ layers: ["base layer", ""] });
const arm = buildImage({ layers: ["arm layer"] });
const index = buildIndex([base, arm]);
const signatureOf = buildImage({
  artifactType: "application/x.signature",
  subject: index.descriptor,
});
const lonely = buildImage({ layers: ["lonely"] });
const app = parseRepositoryName("team/app");

async function filledRegistry() {
  const registry = createRegistry();
  const contentHash = await registry.addNuGet("Acme.Widgets", "1.0.0");
  await registry.addNuGet("Acme.Widgets", "2.0.0-beta.1", false);
  await registry.addNpm("@acme/gears", "1.0.0", ["old"]);
  const integrity = await registry.addNpm("@acme/gears", "1.1.0", ["latest"]);
  await registry.addNpm("@acme/gears", "2.0.0", ["next"]);
  await registry.addImage("team/app", [base, arm, index], "1.0");
  await registry.addImage("team/app", [signatureOf]);
  await registry.addImage("team/app", [lonely]);
  const wanted: readonly Wanted[] = [
    { protocol: "nuget", name: "acme.widgets", version: "1.0.0", integrity: contentHash, from },
    { protocol: "nuget", name: "Acme.Widgets", version: "2.0.0-beta.1", from },
    { protocol: "npm", name: "@acme/gears", version: "1.1.0", integrity, from },
    { protocol: "npm", name: "@acme/gears", version: "1.0.0", from },
    { protocol: "oci", name: "team/app", reference: "1.0", from },
    { protocol: "oci", name: "team/app", reference: lonely.digest, from },
  ];
  return { ...registry, wanted };
}

function exported(
  ports: BundleExportPorts,
  wanted: readonly Wanted[],
  options: Partial<BundleExportOptions> & { readonly unbundled?: readonly Unbundled[] } = {},
) {
  const list: WantedList = { wanted, unbundled: options.unbundled ?? [] };
  const path = join(folder, "out.tar");
  const defaults = { path, key, allowMissing: false, platforms: {}, signal };
  return exportBundle(ports, [list], { ...defaults, ...options });
}

function imported(
  { ports }: ReturnType<typeof createRegistry>,
  path: string,
  options: Partial<BundleImportOptions> = {},
) {
  const trusted = parseTrustKey(publicKeyOf(key));
  return importBundle(ports, path, {
    trust: { type: "key", key: trusted, signaturePath: `${path}.sig` },
    caller,
    now: () => new Date(),
    dryRun: false,
    moveTags: false,
    maxBytes: { nuget: 1e6, npm: 1e6, oci: 1e6 },
    concurrency: 2,
    signal,
    onProgress: () => undefined,
    ...options,
  });
}

test("a bundle brings packages and images of three protocols to another registry", async () => {
  const source = await filledRegistry();
  const path = join(folder, "round.tar");
  const report = await exported(source.ports, source.wanted, { path });
  expect(report).toMatchObject({
    bundled: { nuget: 2, npm: 2, oci: 2 },
    missing: [],
    isWritten: true,
    isComplete: true,
  });
  const target = createRegistry();
  const dry = await imported(target, path, { dryRun: true });
  expect(dry).toMatchObject({ imported: 0, importable: 7, isComplete: true });
  expect(target.events).toEqual([]);
  const first = await imported(target, path);
  expect(first).toMatchObject({ imported: 7, existing: 0, isComplete: true });

  const { nuget, npm, oci } = target.ports;
  const [record] = await nuget.lookup.versions("acme.widgets", ["2.0.0-beta.1"]);
  expect(record).toMatchObject({
    id: "Acme.Widgets",
    listed: false,
    origin: "Mirrored",
    publishedAt: new Date("2024-05-06T07:08:09.000Z"),
  });
  const gears = await npm.lookup.find("@acme/gears");
  expect(gears?.distTags).toEqual({ latest: "1.1.0", old: "1.0.0" });
  expect(gears?.readme).toBe("# @acme/gears");
  expect(gears?.versions.map(({ publishedAt }) => publishedAt.getTime())).toEqual([
    Date.parse("2024-05-06T07:08:09.000Z"),
    Date.parse("2024-05-06T07:08:09.000Z"),
  ]);
  expect((await oci.manifests.find(app, "1.0"))?.digest).toBe(index.digest);
  for (const { digest } of [base, arm, signatureOf, lonely]) {
    expect((await oci.manifests.find(app, digest))?.digest).toBe(digest);
  }

  const events = target.events.length;
  const revision = gears?.revision;
  const second = await imported(target, path);
  expect(second).toMatchObject({ imported: 0, existing: 7, isComplete: true });
  expect(target.events).toHaveLength(events);
  expect((await npm.lookup.find("@acme/gears"))?.revision).toBe(revision);
});

test("two exports of equal contents have equal bytes", async () => {
  const [one, other] = [await filledRegistry(), await filledRegistry()];
  const paths = [join(folder, "one.tar"), join(folder, "other.tar")] as const;
  await exported(one.ports, one.wanted, { path: paths[0] });
  await exported(other.ports, other.wanted.toReversed(), { path: paths[1] });
  const [first, second] = await Promise.all(paths.map((path) => readFile(path)));
  expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  const signatures = await Promise.all(paths.map((path) => readFile(`${path}.sig`, "hex")));
  expect(signatures[0]).toBe(signatures[1]);
  // Header of the first file: mode, owner, group, size, time.
  expect(first?.toString("latin1", 100, 148).replaceAll("\0", "")).toMatch(
    /^000644 000000 000000 \d{11} 00000000000 ?$/,
  );
});

test("lists what is missing, and writes nothing unless that is allowed", async () => {
  const { ports, wanted } = await filledRegistry();
  const more: readonly Wanted[] = [
    ...wanted,
    { protocol: "npm", name: "@acme/gears", version: "9.0.0", from },
    { protocol: "npm", name: "@acme/gears", version: "2.0.0", integrity: "sha512-AAAA", from },
    { protocol: "nuget", name: "Acme.Widgets", version: "1.0.0", integrity: "sha512-no", from },
    { protocol: "oci", name: "team/app", reference: "2.0", from },
  ];
  const path = join(folder, "missing.tar");
  const report = await exported(ports, more, { path });
  expect(report).toMatchObject({ isWritten: false, isComplete: false, bytes: 0 });
  expect(report.missing.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
    expect.stringMatching(/^acme.widgets 1.0.0: It has another content hash/),
    expect.stringMatching(/^@acme\/gears 9.0.0: This registry does not have it. Listed in list/),
    expect.stringMatching(/^@acme\/gears 2.0.0: It has another integrity/),
    expect.stringMatching(/^team\/app:2.0: This registry does not/),
  ]);
  expect(await readdir(folder)).not.toContain("missing.tar");
  const allowed = await exported(ports, more, { path, allowMissing: true });
  expect(allowed).toMatchObject({ isWritten: true, isComplete: false });
  expect(await imported(createRegistry(), path)).toMatchObject({ imported: 6, isComplete: true });
});

test.each([
  ["git", false],
  ["workspace", true],
] as const)("an entry of the kind %s leaves the bundle complete: %s", async (kind, isComplete) => {
  const { ports } = createRegistry();
  const unbundled = [{ kind, name: "a", reason: "r", from }];
  expect(await exported(ports, [], { unbundled })).toMatchObject({ isComplete, unbundled });
});

test("asks for missing packages once, and leaves out those of other platforms", async () => {
  const registry = await filledRegistry();
  const asked: string[] = [];
  const fetchMissing = async ({ name }: Wanted) => {
    asked.push(name);
    if (name !== "late") return { status: "missing", reason: "No source has it." } as const;
    await registry.addNpm("late", "1.0.0");
    return { status: "fetched" } as const;
  };
  const wanted: readonly Wanted[] = [
    { protocol: "npm", name: "late", version: "1.0.0", from },
    { protocol: "npm", name: "never", version: "1.0.0", from },
    { protocol: "npm", name: "windows", version: "1.0.0", os: ["win32"], from },
  ];
  const platforms = { os: ["linux"] };
  const report = await exported({ ...registry.ports, fetchMissing }, wanted, { platforms });
  expect(asked).toEqual(["late", "never"]);
  expect(report).toMatchObject({
    bundled: { npm: 1 },
    filtered: 1,
    missing: [{ name: "never 1.0.0", reason: `No source has it. Listed in ${from}.` }],
  });
});

test("refuses versions and tags that exist with other contents", async () => {
  const source = await filledRegistry();
  const path = join(folder, "conflict.tar");
  await exported(source.ports, source.wanted, { path });
  const target = createRegistry();
  await target.addImage("team/app", [lonely], "1.0");
  const report = await imported(target, path);
  expect(report).toMatchObject({ imported: 5, existing: 1, refused: 1, isComplete: false });
  expect(report.refusals[0]?.reason).toContain("--move-tags");
  expect(await imported(target, path, { moveTags: true })).toMatchObject({ isComplete: true });
});

test("stored bytes that are damaged end the export, and leave no file", async () => {
  const { ports, wanted } = await filledRegistry();
  const content = {
    open: () => ({
      size: 3,
      read: () =>
        (async function* () {
          yield Buffer.from("bad");
        })(),
    }),
  };
  const path = join(folder, "damaged.tar");
  const damaged = { ...ports, npm: { ...ports.npm, content } };
  const exporting = exported(damaged, wanted, { path });
  await expect(exporting).rejects.toThrow(
    /The stored bytes of blobs\/sha256\/[0-9a-f]+ are damaged/,
  );
  expect((await readdir(folder)).filter((name) => name.startsWith("damaged"))).toEqual([]);
});

test("refuses a flipped byte with the name of its entry, and imports nothing", async () => {
  const source = await filledRegistry();
  const path = join(folder, "flipped.tar");
  await exported(source.ports, source.wanted, { path });
  const bytes = await readFile(path);
  for (const { name, start, size } of entriesIn(bytes)) {
    for (const place of [start - 500, start, start + size - 1]) {
      if (size === 0 && place >= start) continue;
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ 1;
      await writeFile(path, changed);
      const target = createRegistry();
      const error = await failureOf(imported(target, path));
      expect(isSourceError(error), `${name} at ${place}`).toBe(true);
      // A changed header is reported with the entry before it, or by its changed name.
      if (place >= start) expect(error).toMatchObject({ message: expect.stringContaining(name) });
      expect(target.events).toEqual([]);
      expect(await target.ports.npm.lookup.has("@acme/gears")).toBe(false);
    }
  }
});

test("trusts the given key alone, unless any bundle is accepted", async () => {
  const source = await filledRegistry();
  const path = join(folder, "trust.tar");
  await exported(source.ports, source.wanted, { path, key: bundleKeyOf(Buffer.alloc(32, 8)) });
  await expect(imported(createRegistry(), path)).rejects.toThrow("does not fit the trusted key");
  await exported(source.ports, source.wanted, { path, key: undefined });
  await expect(imported(createRegistry(), path)).rejects.toSatisfy(isSourceError);
  const trust = { type: "unsigned" } as const;
  expect(await imported(createRegistry(), path, { trust })).toMatchObject({ imported: 7 });
});

test("keys are Ed25519 keys in PEM", () => {
  expect(publicKeyOf(key)).toMatch(/^-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA/);
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const other = publicKey.export({ format: "pem", type: "spki" }).toString();
  for (const text of ["", "no key", other]) expect(() => parseTrustKey(text)).toThrow("Ed25519");
});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function entriesIn(tar: Buffer) {
  const entries: { name: string; start: number; size: number }[] = [];
  for (let at = 0; tar[at] !== 0;) {
    const name = tar.toString("latin1", at, at + 100).replace(/\0.*$/s, "");
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
    entries.push({ name, start: at + 512, size });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}

test("the tar is an OCI layout whose blobs have their digests", async () => {
  const source = await filledRegistry();
  const path = join(folder, "layout.tar");
  await exported(source.ports, source.wanted, { path });
  const tar = await readFile(path);
  const entries = entriesIn(tar);
  const names = entries.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names.slice(-2)).toEqual(["index.json", "oci-layout"]);
  for (const { name, start, size } of entries.slice(0, -2)) {
    const hex = createHash("sha256")
      .update(tar.subarray(start, start + size))
      .digest("hex");
    expect(name).toBe(`blobs/sha256/${hex}`);
  }
  const text = tar.toString("latin1");
  expect(text).not.toContain("2.0.0.tgz");
  expect(text).not.toContain("next");
});
