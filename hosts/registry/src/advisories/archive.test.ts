import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildZip } from "@sealhouse/nuget-protocol/testing";
import { afterAll, expect, test } from "vitest";
import { readArchive } from "./archive.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-archive-"));
afterAll(() => rm(folder, { recursive: true }));
const path = join(folder, "all.zip");

const isWanted = (name: string) => name.endsWith(".json");

async function readBytes(bytes: Uint8Array, bytesMax = 1000): Promise<Record<string, string>> {
  await writeFile(path, bytes);
  const files = await Array.fromAsync(readArchive(path, { isWanted, bytesMax }));
  return Object.fromEntries(files.map((one) => [one.name, one.bytes.toString()]));
}

const FILES = [
  { name: "a.json", data: '{"a":1}' },
  { name: "readme.txt", data: "not this" },
  { name: "b/c.json", data: `{"b":"${"x".repeat(500)}"}` },
];
const TOLD = { "a.json": FILES[0]?.data, "b/c.json": FILES[2]?.data };

test("reads the files that are wanted, packed or not", async () => {
  expect(await readBytes(buildZip(FILES))).toEqual(TOLD);
  expect(await readBytes(buildZip([]))).toEqual({});
});

test("finds the directory before a comment", async () => {
  const bytes = Buffer.concat([buildZip(FILES), Buffer.from("PK, says the comment")]);
  bytes.writeUInt16LE(20, bytes.length - 22);
  expect(await readBytes(bytes)).toEqual(TOLD);
});

/** The same archive with every number where ZIP64 has it. */
function inZip64(archive: Buffer): Buffer {
  const end = archive.length - 22;
  const [count, size, offset] = [
    archive.readUInt16LE(end + 10),
    archive.readUInt32LE(end + 12),
    archive.readUInt32LE(end + 16),
  ];
  const headers: Buffer[] = [];
  for (let at = offset; at < end;) {
    const length = 46 + archive.readUInt16LE(at + 28);
    const header = Buffer.from(archive.subarray(at, at + length));
    const extra = Buffer.alloc(28);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    for (const [index, field] of [24, 20, 42].entries()) {
      extra.writeBigUInt64LE(BigInt(header.readUInt32LE(field)), 4 + 8 * index);
      header.writeUInt32LE(0xffffffff, field);
    }
    at += length + header.readUInt16LE(30) + header.readUInt16LE(32);
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
  expect(await readBytes(inZip64(Buffer.from(buildZip(FILES))))).toEqual(TOLD);
});

test("refuses a file that is too large, and skips it where it is not wanted", async () => {
  await expect(readBytes(buildZip(FILES), 100)).rejects.toThrow(/b\/c\.json is larger than 100/);
  const large = { name: "large.txt", data: "x".repeat(5000) };
  expect(await readBytes(buildZip([large, ...FILES]))).toEqual(TOLD);
});

test("every cut and every changed byte is an error or the same content", async () => {
  const whole = Buffer.from(buildZip(FILES));
  const known = new Set(FILES.map(({ data }) => data));
  for (const archive of [whole, inZip64(whole)]) {
    for (let at = 0; at < archive.length; at += 3) {
      const changed = Buffer.from(archive);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      expect(known).toEqual(known.union(await contentsOf(changed)));
      expect(known).toEqual(known.union(await contentsOf(archive.subarray(0, at))));
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
