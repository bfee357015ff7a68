import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { zipOf } from "../testing/zip.test.support.ts";
import { readArchive } from "./archive.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-archive-"));
afterAll(() => rm(folder, { recursive: true }));
const path = join(folder, "all.zip");

const isWanted = (name: string) => name.endsWith(".json");

async function readBytes(bytes: Uint8Array, bytesMax = 1000): Promise<Record<string, string>> {
  await writeFile(path, bytes);
  const files = await Array.fromAsync(readArchive(path, { isWanted, bytesMax }));
  return Object.fromEntries(files.map((file) => [file.name, file.bytes.toString()]));
}

const FILES = [
  { name: "a.json", data: '{"a":1}' },
  { name: "readme.txt", data: "not this" },
  { name: "b/c.json", data: `{"b":"${"x".repeat(500)}"}` },
];
const WANTED = { "a.json": FILES[0]?.data, "b/c.json": FILES[2]?.data };

test("reads the wanted files, compressed or not", async () => {
  expect(await readBytes(await zipOf(FILES))).toEqual(WANTED);
  expect(await readBytes(await zipOf(FILES, { isStored: true }))).toEqual(WANTED);
  expect(await readBytes(await zipOf([]))).toEqual({});
});

test("finds the directory before a comment", async () => {
  const bytes = Buffer.concat([await zipOf(FILES), Buffer.from("PK, says the comment")]);
  bytes.writeUInt16LE(20, bytes.length - 22);
  expect(await readBytes(bytes)).toEqual(WANTED);
});

/** The same archive with all numbers in ZIP64 records. */
function inZip64(archive: Buffer): Buffer {
  const end = archive.length - 22;
  const [count, size, offset] = [
    archive.readUInt16LE(end + 10),
    archive.readUInt32LE(end + 12),
    archive.readUInt32LE(end + 16),
  ];
  const headers: Buffer[] = [];
  for (let position = offset; position < end;) {
    const length = 46 + archive.readUInt16LE(position + 28);
    const header = Buffer.from(archive.subarray(position, position + length));
    const extra = Buffer.alloc(28);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    for (const [index, field] of [24, 20, 42].entries()) {
      extra.writeBigUInt64LE(BigInt(header.readUInt32LE(field)), 4 + 8 * index);
      header.writeUInt32LE(0xffffffff, field);
    }
    position += length + header.readUInt16LE(30) + header.readUInt16LE(32);
    header.writeUInt16LE(extra.length, 30);
    headers.push(header, extra);
  }
  const directory = Buffer.concat(headers);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(directory.length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + directory.length), 8);
  const last = Buffer.from(archive.subarray(end));
  last.writeUInt16LE(0xffff, 10);
  last.writeUInt32LE(0xffffffff, 12);
  last.writeUInt32LE(0xffffffff, 16);
  expect(size).toBeGreaterThan(0);
  return Buffer.concat([archive.subarray(0, offset), directory, record, locator, last]);
}

test("reads ZIP64", async () => {
  expect(await readBytes(inZip64(await zipOf(FILES)))).toEqual(WANTED);
});

test("refuses a large file, but skips it when it is not selected", async () => {
  await expect(readBytes(await zipOf(FILES), 100)).rejects.toThrow(/b\/c\.json is larger than 100/);
  const large = { name: "large.txt", data: "x".repeat(5000) };
  expect(await readBytes(await zipOf([large, ...FILES]))).toEqual(WANTED);
});

test("reads more entries than one part of the directory has", async () => {
  const files = Array.from({ length: 2500 }, (_, index) => ({
    name: `${index}.json`,
    data: String(index),
  }));
  const read = await readBytes(await zipOf(files));
  expect(Object.entries(read)).toEqual(files.map(({ name, data }) => [name, data]));
});

/** Numbers of the directory's header of `b/c.json`, by their offsets in it. */
function patched(archive: Buffer, fields: Readonly<Record<number, number>>): Buffer {
  const changed = Buffer.from(archive);
  const header = changed.lastIndexOf("b/c.json") - 46;
  for (const [offset, value] of Object.entries(fields))
    changed.writeUInt32LE(value, header + Number(offset));
  return changed;
}

test.each([
  ["a file that decompresses to more than it states", { 24: 10 }, /b\/c\.json is damaged/],
  ["a wrong checksum", { 16: 1 }, /b\/c\.json is damaged/],
  ["a file outside of the archive", { 42: 0x7fffffff }, /b\/c\.json is damaged/],
  ["an unknown compression", { 10: 14 }, /cannot unpack b\/c\.json/],
  ["ZIP64 numbers that are missing", { 20: 0xffffffff }, /b\/c\.json is damaged/],
])("refuses %s", async (_, fields, message) => {
  await expect(readBytes(patched(await zipOf(FILES), fields))).rejects.toThrow(message);
});

test("refuses an encrypted file", async () => {
  const archive = await zipOf(FILES);
  const flagsAt = archive.lastIndexOf("b/c.json") - 46 + 8;
  archive.writeUInt16LE(archive.readUInt16LE(flagsAt) | 1, flagsAt);
  await expect(readBytes(archive)).rejects.toThrow(/cannot unpack b\/c\.json/);
});

test("allocates nothing for the entries that a hostile archive claims to have", async () => {
  const archive = inZip64(await zipOf(FILES));
  const record = archive.length - 22 - 20 - 56;
  archive.writeBigUInt64LE(2n ** 40n, record + 24);
  archive.writeBigUInt64LE(2n ** 40n, record + 32);
  expect(await readBytes(archive)).toEqual(WANTED);
  archive.writeBigUInt64LE(2n ** 40n, record + 40);
  await expect(readBytes(archive)).rejects.toThrow(/directory has the wrong size/);
});

test("a file that decompresses to 256 MiB stops at its stated size", async () => {
  const name = "bomb.json";
  const archive = await zipOf([{ name, data: Buffer.alloc(256 * 1024 * 1024) }]);
  archive.writeUInt32LE(900, archive.lastIndexOf(name) - 46 + 24);
  const before = process.memoryUsage().arrayBuffers;
  await expect(readBytes(archive, 4_000_000)).rejects.toThrow(/bomb\.json is damaged/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
});

test("a read that fails after unzipper gave up does not end the process", async () => {
  const data = randomBytes(500_000).toString("hex");
  const archive = await zipOf([{ name: "large.json", data }]);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  process.on("uncaughtException", onFailure);
  onTestFinished(() => void process.off("uncaughtException", onFailure));
  for (let extra = 40_000; extra < 65_000; extra += 500) {
    // A long local header splits the read in two; the first part is damaged.
    archive.writeUInt16LE(extra, 28);
    await expect(readBytes(archive, 2_000_000)).rejects.toThrow(/large\.json is damaged/);
  }
  expect(failures).toEqual([]);
});

test("every cut and every changed byte is an error or the same content", async () => {
  const whole = await zipOf(FILES);
  const knownContents = new Set(FILES.map(({ data }) => data));
  for (const archive of [whole, await zipOf(FILES, { isStored: true }), inZip64(whole)]) {
    for (let index = 0; index < archive.length; index += 3) {
      const changed = Buffer.from(archive);
      changed[index] = (changed[index] ?? 0) ^ 0xff;
      expect(knownContents).toEqual(knownContents.union(await contentsOf(changed)));
      expect(knownContents).toEqual(
        knownContents.union(await contentsOf(archive.subarray(0, index))),
      );
    }
  }
});

async function contentsOf(bytes: Uint8Array): Promise<ReadonlySet<string>> {
  try {
    return new Set(Object.values(await readBytes(bytes)));
  } catch {
    return new Set();
  }
}
