import { openAsBlob } from "node:fs";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ArchiveError } from "../errors.ts";
import type { PackageBytes } from "../ports.ts";
import { contentHash } from "../splice/content-hash.ts";
import { packageBlobBytes, packageFileBytes } from "./open-package-bytes.ts";
import { packageBytesOf } from "./package-bytes.ts";
import { buildTestPackage } from "../testing/test-package.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-bytes-"));
afterAll(() => rm(folder, { recursive: true }));

const data = Buffer.from(Array.from({ length: 900_001 }, (_, index) => (index * 7) % 251));
const bytes = buildTestPackage("Acme.Bytes", "1.0.0", {
  files: [{ name: "a.bin", data, stored: true }],
});
const path = join(folder, "a.nupkg");
await writeFile(path, bytes);

async function copied(file: PackageBytes, range?: { start: number; end: number }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.read(range)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

test.each([false, true])("a file is read completely and by ranges, lent %s", async (lend) => {
  await using file = await packageFileBytes(path, { lend });
  expect(file.size).toBe(bytes.length);
  expect((await copied(file)).equals(bytes)).toBe(true);
  const range = { start: 300_000, end: 800_000 };
  expect((await copied(file, range)).equals(bytes.subarray(300_000, 800_001))).toBe(true);
  expect(await contentHash(file, "SHA512")).toEqual(
    await contentHash(packageBytesOf(bytes), "SHA512"),
  );
});

test("chunks that are not lent stay unchanged", async () => {
  await using file = await packageFileBytes(path);
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
});

test("reads a Blob completely and by ranges", async () => {
  const file = packageBlobBytes(await openAsBlob(path));
  expect(file.size).toBe(bytes.length);
  expect((await copied(file)).equals(bytes)).toBe(true);
  expect((await copied(file, { start: 5, end: 9 })).equals(bytes.subarray(5, 10))).toBe(true);
});

test("a file that shrinks while it is read is refused, and one may be left early", async () => {
  const shrinking = join(folder, "shrinking.nupkg");
  await writeFile(shrinking, bytes);
  await using file = await packageFileBytes(shrinking, { lend: true });
  for await (const chunk of file.read()) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  await truncate(shrinking, 1_000);
  await expect(contentHash(file, "SHA256")).rejects.toBeInstanceOf(ArchiveError);
});
