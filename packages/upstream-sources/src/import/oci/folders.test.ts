import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { allReferrers, parseRepositoryName } from "@sealhouse/oci-distribution";
import {
  buildImage,
  buildIndex,
  createMemoryOciPorts,
  createMemoryTags,
} from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, expect, test } from "vitest";
import { SourceError } from "../../source-error.ts";
import { openLayoutFolder } from "./layout-folder.ts";
import type { OciSource } from "./oci-source.ts";
import type { OciImportOptions } from "./run-oci-import.ts";
import { runOciImport } from "./run-oci-import.ts";
import { findStorage, storageFolder } from "./storage-folder.ts";

const root = await mkdtemp(join(tmpdir(), "sealhouse-import-oci-"));
afterAll(() => rm(root, { recursive: true }));

async function newFolder(name = "app"): Promise<string> {
  const folder = join(await mkdtemp(join(root, "of-")), name);
  await mkdir(folder);
  return folder;
}

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

function everything({ blobs, digest, bytes }: TestManifest) {
  return [...blobs, { digest, bytes }];
}

/** A layout with these entries in its index. */
async function writeLayout(
  folder: string,
  images: readonly TestManifest[],
  entries: readonly object[],
): Promise<void> {
  for (const { digest, bytes } of images.flatMap(everything)) {
    await write(join(folder, "blobs", ...digest.split(":")), bytes);
  }
  await write(join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  await write(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: entries }));
}

/** The storage of a docker-registry with one repository. */
async function writeStorage(
  folder: string,
  images: readonly TestManifest[],
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const inner = join(folder, "docker/registry/v2");
  const home = join(inner, "repositories/team/app/_manifests");
  for (const { digest, bytes } of images.flatMap(everything)) {
    const hex = digest.slice("sha256:".length);
    await write(join(inner, "blobs/sha256", hex.slice(0, 2), hex, "data"), bytes);
  }
  for (const { digest } of images) {
    await write(join(home, "revisions", ...digest.split(":"), "link"), digest);
  }
  for (const [tag, link] of Object.entries(tags)) {
    await write(join(home, "tags", tag, "current/link"), link);
  }
}

async function importFrom(source: OciSource, options: Partial<OciImportOptions> = {}) {
  const ports = createMemoryOciPorts();
  const done: string[] = [];
  const { tags } = createMemoryTags(ports.manifests);
  const report = await runOciImport({ ...ports, tags }, source, {
    caller: { actor: "operator" },
    dryRun: false,
    failFast: false,
    moveTags: false,
    maxBlobBytes: Number.MAX_SAFE_INTEGER,
    signal: new AbortController().signal,
    concurrency: 2,
    targetName: (name) => name,
    includesTag: () => true,
    isDone: () => false,
    onDone: (name) => done.push(name),
    onProgress: () => undefined,
    ...options,
  });
  const find = (name: string, reference: string) =>
    ports.manifests.find(parseRepositoryName(name), reference);
  return { report, find, done, ports };
}

const REF_NAME = "org.opencontainers.image.ref.name";

test("a layout imports tags, full names and untagged manifests", async () => {
  const folder = await newFolder("Widgets");
  const images = ["a", "b", "c"].map((layer) => buildImage({ layers: [layer] }));
  const [a, b, c] = images.map(({ descriptor }) => descriptor);
  await writeLayout(folder, images, [
    { ...a, annotations: { [REF_NAME]: "1.0" } },
    { ...a, annotations: { [REF_NAME]: "latest" } },
    { ...b, annotations: { [REF_NAME]: "registry.example:5000/team/app:2.0" } },
    { ...c },
  ]);
  const { report, find, done } = await importFrom(await openLayoutFolder(folder));
  expect(report).toMatchObject({ imported: 3, refused: 0, failed: 0 });
  expect(done).toEqual(["widgets"]);
  expect((await find("widgets", "latest"))?.digest).toBe(a?.digest);
  expect((await find("widgets", "2.0"))?.digest).toBe(b?.digest);
  expect(await find("widgets", c?.digest ?? "")).toBeDefined();
});

test("a layout imports the referrers of its imported images only", async () => {
  const folder = await newFolder();
  const image = buildImage();
  const signature = buildImage({ layers: ["signed"], subject: image.descriptor });
  await writeLayout(
    folder,
    [image, signature],
    [{ ...image.descriptor, annotations: { [REF_NAME]: "1" } }, signature.descriptor],
  );
  const includesTag = (tag: string) => tag === "1";
  const { report, ports } = await importFrom(await openLayoutFolder(folder, "app"), {
    includesTag,
  });
  expect(report.failed).toBe(0);
  const name = parseRepositoryName("app");
  const listed = await Array.fromAsync(allReferrers(ports.manifests, name, image.digest));
  expect(listed.map(({ digest }) => digest)).toEqual([signature.digest]);
});

test.each<[string, string]>([
  ["[]", "does not contain a list of manifests"],
  ["{", "is not a JSON object"],
  ['{"manifests":[{"digest":"sha256:../../../../etc/passwd"}]}', "is not a descriptor"],
])("a layout with the index %s is refused with a reason", async (index, words) => {
  const folder = await newFolder();
  await write(join(folder, "index.json"), index);
  await expect(openLayoutFolder(folder)).rejects.toThrow(words);
});

test("a layout in a folder with an invalid name requires --repositories", async () => {
  const folder = await newFolder("_layout_");
  await writeLayout(folder, [], []);
  await expect(openLayoutFolder(folder)).rejects.toThrow("--repositories");
});

test("damaged and missing blobs are reported one by one; other images are imported", async () => {
  const folder = await newFolder();
  const images = ["fine", "damaged", "missing", "lost"].map((layer) =>
    buildImage({ layers: [layer], config: `{"of":"${layer}"}` }),
  );
  const tags = ["fine", "damaged", "missing", "lost"];
  const entries = images.map(({ descriptor }, n) => ({
    ...descriptor,
    annotations: { [REF_NAME]: tags[n] },
  }));
  await writeLayout(folder, images, entries);
  const [, damaged, missing, lost] = images;
  const path = (digest = "sha256:x") => join(folder, "blobs", ...digest.split(":"));
  await writeFile(path(damaged?.blobs[1]?.digest), "DAMAGED");
  await rm(path(missing?.blobs[1]?.digest));
  await writeFile(path(lost?.digest), "{}");
  const { report, find, done } = await importFrom(await openLayoutFolder(folder));
  expect(report).toMatchObject({ imported: 1, refused: 1, failed: 2 });
  expect(report.refusals[0]?.reason).toContain("did not match");
  const failures = report.failures.map(({ name, reason }) => `${name}: ${reason}`).toSorted();
  expect(failures[0]).toMatch(/^app:lost: .+ is damaged/);
  expect(failures[1]).toMatch(/^app:missing: .+ has no sha256:.+, which sha256:.+ needs/);
  expect(done).toEqual([]);
  expect(await find("app", "fine")).toBeDefined();
  expect(await find("app", "damaged")).toBeUndefined();
});

test("a storage folder imports linked manifests and ignores unlinked bytes", async () => {
  const folder = await newFolder();
  const image = buildImage({ layers: ["linked"] });
  const index = buildIndex([image]);
  const foreign = buildImage({ layers: ["of another repository"] });
  await writeStorage(folder, [image, index], {
    "1": index.digest,
    "not a tag": image.digest,
    broken: "sha256:../../../etc/passwd",
    gone: foreign.digest,
  });
  const storage = await findStorage(folder);
  const { report, find } = await importFrom(storageFolder(storage ?? "", { withUntagged: false }));
  expect(report).toMatchObject({ imported: 1, refused: 0, failed: 2 });
  expect(report.failures.map(({ name }) => name).toSorted()).toEqual([
    "team/app:broken",
    "team/app:gone",
  ]);
  expect((await find("team/app", "1"))?.digest).toBe(index.digest);
  expect(await findStorage(join(folder, "docker/registry/v2"))).toBe(storage);
  expect(await findStorage(root)).toBeUndefined();
});

test("a storage folder with a circular link is read once", async () => {
  const folder = await newFolder();
  await writeStorage(folder, [], {});
  const home = join(folder, "docker/registry/v2/repositories");
  await mkdir(join(home, "team"), { recursive: true });
  await symlink(home, join(home, "team/again"));
  const storage = storageFolder((await findStorage(folder)) ?? "", { withUntagged: true });
  expect((await importFrom(storage)).report).toMatchObject({ imported: 0, failed: 0 });
});

test("a schema 1 image is refused with a reason; a dry run writes nothing", async () => {
  const folder = await newFolder();
  const bytes = Buffer.from('{"schemaVersion":1,"name":"app","tag":"1","fsLayers":[]}');
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const image = buildImage();
  await writeStorage(folder, [image], { "1": digest, "2": image.digest });
  const inner = join(folder, "docker/registry/v2");
  const hex = digest.slice("sha256:".length);
  await write(join(inner, "blobs/sha256", hex.slice(0, 2), hex, "data"), bytes);
  const home = join(inner, "repositories/team/app/_manifests");
  await write(join(home, "revisions/sha256", hex, "link"), digest);
  const storage = storageFolder(inner, { withUntagged: false });
  const dry = await importFrom(storage, { dryRun: true });
  expect(dry.report.importable).toBeGreaterThan(0);
  expect(dry.ports.events).toEqual([]);
  const { report } = await importFrom(storage);
  expect(report).toMatchObject({ imported: 1, refused: 1 });
  expect(report.refusals[0]?.reason).toContain("schemaVersion must be 2");
});

test("failFast stops the import at the first failure", async () => {
  const folder = await newFolder();
  await writeStorage(folder, [], { "1": "nonsense", "2": "nonsense", "3": "nonsense" });
  const storage = storageFolder((await findStorage(folder)) ?? "", { withUntagged: false });
  const { report } = await importFrom(storage, { failFast: true, concurrency: 1 });
  expect(report).toMatchObject({ failed: 1, isComplete: false });
});

test("a source that fails half-way is reported as a failure", async () => {
  const source: OciSource = {
    async *repositories() {
      yield {
        name: "app",
        images: {
          label: "app",
          manifest: async () => undefined,
          blob: async () => undefined,
          referrers: async () => [],
          async *tags() {},
        },
        async *listImages() {
          yield { reference: "1", tags: ["1"] };
          throw new SourceError("the disk is gone");
        },
      };
    },
  };
  const { report } = await importFrom(source);
  expect(report.failures.map(({ reason }) => reason)).toContain("the disk is gone");
});
