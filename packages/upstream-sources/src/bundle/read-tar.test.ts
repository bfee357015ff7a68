import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPaxEntry, buildTarEntry } from "@sealhouse/npm-protocol/testing";
import type { TarEntryWish } from "@sealhouse/npm-protocol/testing";
import { afterAll, expect, test } from "vitest";
import { isSourceError } from "../source-error.ts";
import { openBundleFile } from "./bundle-file.ts";
import { blobFile, LAYOUT_TEXT } from "./bundle-format.ts";
import { readBundle } from "./read-bundle.ts";
import { writeBundle } from "./write-bundle.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-tar-"));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();

const END = Buffer.alloc(1024);
const layout = { path: "oci-layout", content: LAYOUT_TEXT };
const emptyIndex = { path: "index.json", content: '{"manifests":[]}' };
const hex = createHash("sha256").update("blob").digest("hex");
const blob = { path: `blobs/sha256/${hex}`, content: "blob" };

function tar(...entries: readonly (TarEntryWish | Buffer)[]): Buffer {
  const parts = entries.map((entry) => (Buffer.isBuffer(entry) ? entry : buildTarEntry(entry)));
  return Buffer.concat([...parts, END]);
}

function indexOf(...manifests: readonly unknown[]): TarEntryWish {
  return { path: "index.json", content: JSON.stringify({ manifests }) };
}

const manifest = (content: unknown) => {
  const bytes = Buffer.from(JSON.stringify(content));
  const digest = createHash("sha256").update(bytes).digest("hex");
  const entry = { path: `blobs/sha256/${digest}`, content: bytes };
  return { entry, descriptor: { digest: `sha256:${digest}`, size: bytes.length } };
};
const artifact = "application/vnd.sealhouse.npm.v1";
const noFile = manifest({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  artifactType: artifact,
  config: { mediaType: "a/b", digest: `sha256:${hex}`, size: 4 },
  layers: [],
});
const oneFile = manifest({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  config: { mediaType: "a/b", digest: `sha256:${hex}`, size: 4 },
  layers: [{ mediaType: "a/b", digest: `sha256:${hex}`, size: 4 }],
});
const nested = manifest({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.index.v1+json",
  manifests: [{ mediaType: "a/b", digest: `sha256:${"0".repeat(64)}`, size: 4 }],
});
const annotations = { "dev.sealhouse.repository": "team/app" };

test.each([
  ["a path that leaves", tar({ path: "../index.json" }), '"../index.json" leads out'],
  ["a path that leaves later", tar({ path: "blobs/../../x" }), '"blobs/../../x" leads out'],
  ["a path of Windows that leaves", tar({ path: "a\\..\\x" }), "leads out"],
  ["an absolute path", tar({ path: "/etc/passwd" }), '"/etc/passwd" leads out'],
  ["a path of an extended header", tar(buildPaxEntry({ path: "../x" }), layout), '"../x" leads'],
  ["a symbolic link", tar({ ...layout, type: "2", linkTo: "/etc/passwd" }), "is a symlink"],
  ["a hard link", tar({ ...layout, type: "1", linkTo: "index.json" }), "is a link"],
  ["a folder", tar({ path: "blobs", type: "5" }), "is a directory"],
  ["a device", tar({ path: "blobs", type: "3" }), "is a character-device"],
  ["another file", tar({ path: "readme.txt" }), '"readme.txt" does not belong'],
  ["another name of a blob", tar({ path: "blobs/md5/00" }), "does not belong"],
  ["control characters", tar({ path: "a\u001b[2J" }), '"a?[2J" does not belong'],
  ["a file that is there twice", tar(layout, layout), '"oci-layout" is there twice'],
  ["a blob with another digest", tar({ ...blob, content: "blub" }), `"${blob.path}" is damaged`],
  [
    "a size beyond the end",
    tar({ ...layout, size: 5_000 }),
    "not a whole tar: after the beginning",
  ],
  ["half a header", tar(layout).subarray(0, 700 + 512), "not a whole tar: after oci-layout"],
  ["no tar", Buffer.alloc(2_000, "x"), "not a whole tar"],
  ["an empty file", Buffer.alloc(0), '"oci-layout" is missing'],
  ["no layout file", tar(emptyIndex), '"oci-layout" is missing'],
  ["another layout version", tar({ ...layout, content: "{}" }), '"oci-layout" is missing or not'],
  ["no index", tar(layout), 'no entry "index.json"'],
  ["an index without a list", tar(layout, { ...emptyIndex, content: "{}" }), "no list"],
  ["an index that is not JSON", tar(layout, { ...emptyIndex, content: "[" }), "not usable JSON"],
  ["an entry without a digest", tar(layout, indexOf({ size: 4 })), "not a descriptor"],
  ["a blob that belongs to nothing", tar(blob, emptyIndex, layout), `"${blob.path}" belongs to`],
  [
    "a missing manifest",
    tar(indexOf({ digest: `sha256:${hex}`, size: 4, annotations }), layout),
    `no entry "${blob.path}"`,
  ],
  [
    "another size of a manifest",
    tar(blob, indexOf({ digest: `sha256:${hex}`, size: 5, annotations }), layout),
    "has 4 bytes; 5 are listed",
  ],
  [
    "a blob in place of a manifest",
    tar(blob, indexOf({ digest: `sha256:${hex}`, size: 4, annotations }), layout),
    `"${blob.path}" is not a manifest`,
  ],
  [
    "a package without a file",
    tar(blob, noFile.entry, indexOf({ ...noFile.descriptor, artifactType: artifact }), layout),
    "is not a package with one file",
  ],
  [
    "a package whose description is not JSON",
    tar(blob, oneFile.entry, indexOf({ ...oneFile.descriptor, artifactType: artifact }), layout),
    `"${blob.path}" is not a JSON object`,
  ],
  [
    "an image without a repository",
    tar(blob, oneFile.entry, indexOf(oneFile.descriptor), layout),
    "without a valid repository",
  ],
  [
    "an index of images without its image",
    tar(nested.entry, indexOf({ ...nested.descriptor, annotations }), layout),
    `no entry "blobs/sha256/${"0".repeat(64)}"`,
  ],
])("refuses %s", async (_, bytes, message) => {
  const path = join(folder, "hostile.tar");
  await writeFile(path, bytes);
  const read = async () => {
    await using file = await openBundleFile(path, { trust: { type: "unsigned" }, signal });
    await readBundle(file);
  };
  const error: unknown = await read().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(isSourceError(error)).toBe(true);
});

test("reads a tar that another program wrote, with extended headers", async () => {
  const path = join(folder, "foreign.tar");
  const entry = indexOf({ ...oneFile.descriptor, annotations });
  await writeFile(path, tar(buildPaxEntry({ mtime: "1.5" }), blob, oneFile.entry, entry, layout));
  await using file = await openBundleFile(path, { trust: { type: "unsigned" }, signal });
  const { images } = await readBundle(file);
  expect(images).toEqual([
    { repository: "team/app", digest: oneFile.descriptor.digest, tag: undefined },
  ]);
  expect(Buffer.from(await file.readWhole(`sha256:${hex}`, 10)).toString()).toBe("blob");
  await expect(file.readWhole(`sha256:${hex}`, 3)).rejects.toThrow("larger than 3 bytes");
});

test("bytes that change after the check are refused when they are read", async () => {
  const path = join(folder, "changing.tar");
  const bytes = tar(blob, emptyIndex, layout);
  await writeFile(path, bytes);
  await using file = await openBundleFile(path, { trust: { type: "unsigned" }, signal });
  bytes.write("blub", 512);
  await writeFile(path, bytes);
  const reading = file.readWhole(`sha256:${hex}`, 10);
  await expect(reading).rejects.toThrow(`"${blobFile(`sha256:${hex}`)}" is damaged`);
});

test("reports a path that cannot be written, and a stop", async () => {
  const none = { signature: undefined, signal };
  const writing = writeBundle(join(folder, "absent", "out.tar"), [], none);
  await expect(writing).rejects.toSatisfy(isSourceError);
  const stop = new AbortController();
  const endless = async function* () {
    for (;;) {
      yield Buffer.alloc(1_000);
      stop.abort();
    }
  };
  const file = { name: "blobs/sha256/x", size: 1e9, content: () => endless() };
  const stopped = writeBundle(join(folder, "out.tar"), [file], { ...none, signal: stop.signal });
  await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
});
