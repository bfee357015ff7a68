import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import { constants as zlibConstants, createInflateRaw, crc32, inflateRawSync } from "node:zlib";
import { pipeline } from "node:stream/promises";
import type { ByteSource } from "@sealhouse/http-responses";
import { hasZip64Field, LOCAL_HEADER_SIZE } from "@sealhouse/zip-archive";
import { ArchiveError, isZlibError, zip64 } from "./archive-error.ts";
import type { ByteCursor } from "./byte-cursor.ts";
import { createByteCursor } from "./byte-cursor.ts";
import type { ArchiveEntry, CentralDirectory } from "./central-directory.ts";
import { DEFLATED, HAS_DESCRIPTOR } from "./central-directory.ts";

/** Maximum size of an unpacked package. */
export type InflationLimits = {
  readonly inflatedBytesMax: number;
  /** Inflated to packed size, asked only above `ratioFloorBytes`. */
  readonly ratioMax: number;
  readonly ratioFloorBytes: number;
};

export const INFLATION_LIMITS: InflationLimits = {
  inflatedBytesMax: 16 * 1024 ** 3,
  ratioMax: 200,
  ratioFloorBytes: 64 * 1024 ** 2,
};

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_SIGNATURE_BYTES = Buffer.from("PK\u0003\u0004", "latin1");
/** Far more than a data descriptor has. */
const GAP_BYTES_MAX = 64 * 1024;
/** Entries up to here are inflated in one piece, which is much faster than a stream each. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Encryption and UTF-8 must not depend on which header one reads. */
const COMPARED_FLAGS = (1 << 0) | (1 << 6) | (1 << 11);

/**
 * Reads the whole archive once, front to back, and compares every file with the directory: place,
 * name, sizes, and the real inflated length and CRC. Memory does not grow with the archive.
 * `keep` chooses the few small files whose bytes are given back, by path. Entries with the same
 * path must have the same content, because readers differ in which of them they take.
 * @throws {ArchiveError} with the first difference
 */
export async function checkContent(
  source: ByteSource,
  directory: CentralDirectory,
  keep: (entry: ArchiveEntry) => boolean,
  limits: InflationLimits = INFLATION_LIMITS,
): Promise<ReadonlyMap<string, Uint8Array>> {
  checkInflation(source.size, directory.entries, limits);
  const bytesByPath = new Map<string, Uint8Array>();
  const repeats = createRepeats(directory.entries);
  const ordered = directory.entries.toSorted((a, b) => a.offset - b.offset);
  const iterator = source.read({ start: 0, end: directory.offset - 1 })[Symbol.asyncIterator]();
  try {
    const cursor = createByteCursor(iterator);
    for (const [index, entry] of ordered.entries()) {
      const end = ordered[index + 1]?.offset ?? directory.offset;
      const hash = repeats.hashFor(entry);
      const content = await checkEntry(cursor, entry, { end, isKept: keep(entry), hash });
      if (content) bytesByPath.set(entry.path, content);
      if (hash) repeats.check(entry, hash.update(entry.isDirectory ? "/" : "").digest("hex"));
    }
  } finally {
    await iterator.return?.();
  }
  return bytesByPath;
}

/** Compares the contents of entries whose paths differ at most in case. */
function createRepeats(entries: readonly ArchiveEntry[]) {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const digests = new Map<string, string>();
  for (const { path } of entries) {
    const key = path.toLowerCase();
    if (seen.has(key)) repeated.add(key);
    seen.add(key);
  }
  return {
    /** Undefined for a path that occurs once. */
    hashFor: ({ path }: ArchiveEntry): Hash | undefined =>
      repeated.size > 0 && repeated.has(path.toLowerCase()) ? createHash("sha256") : undefined,
    check({ path }: ArchiveEntry, digest: string): void {
      const key = path.toLowerCase();
      const before = digests.get(key) ?? digest;
      digests.set(key, before);
      if (before === digest) return;
      throw new ArchiveError(`The archive has "${path}" twice, with different contents.`);
    },
  };
}

type EntryCheck = { readonly isKept: boolean; readonly hash: Hash | undefined };

/** Sizes are claims here; that they are true is what the pass over the content finds out. */
function checkInflation(
  packedSize: number,
  entries: readonly ArchiveEntry[],
  { inflatedBytesMax, ratioMax, ratioFloorBytes }: InflationLimits,
): void {
  const inflated = entries.reduce((sum, entry) => sum + entry.size, 0);
  const isBomb = inflated > ratioFloorBytes && inflated > ratioMax * packedSize;
  if (inflated > inflatedBytesMax || isBomb) {
    throw new ArchiveError(`The archive would unpack to ${inflated} bytes, which is too much.`);
  }
}

async function checkEntry(
  cursor: ByteCursor,
  entry: ArchiveEntry,
  { end, ...check }: EntryCheck & { readonly end: number },
): Promise<Uint8Array | undefined> {
  if (cursor.position() > entry.offset) throw overlapping(entry);
  await cursor.skip(entry.offset - cursor.position());
  await checkLocalHeader(cursor, entry);
  const contentEnd = cursor.position() + entry.compressedSize;
  if (contentEnd > end) throw overlapping(entry);
  const content = await checkBytes(cursor, entry, check);
  await checkGap(cursor, entry, end - contentEnd);
  return content;
}

async function checkBytes(
  cursor: ByteCursor,
  entry: ArchiveEntry,
  { isKept, hash }: EntryCheck,
): Promise<Uint8Array | undefined> {
  const isWhole = isKept || Math.max(entry.compressedSize, entry.size) <= SMALL_BYTES_MAX;
  if (!isWhole) {
    await checkStream(cursor, entry, hash);
    return undefined;
  }
  const packed = await cursor.take(entry.compressedSize);
  const content = entry.method === DEFLATED ? inflateWhole(packed, entry) : packed;
  compare(entry, content.length, crc32(content));
  hash?.update(content);
  return isKept ? Uint8Array.from(content) : undefined;
}

/** Up to the next file, or the directory: a data descriptor, or nothing. Readers that walk through
 * the local headers would find a file there that the directory does not have. */
async function checkGap(cursor: ByteCursor, entry: ArchiveEntry, size: number): Promise<void> {
  if (size > GAP_BYTES_MAX) {
    throw new ArchiveError(`${size} bytes after "${entry.path}" belong to no file of the archive.`);
  }
  if (Buffer.from(await cursor.take(size)).includes(LOCAL_SIGNATURE_BYTES)) {
    throw new ArchiveError(`After "${entry.path}" is a file that the directory does not have.`);
  }
}

async function checkLocalHeader(cursor: ByteCursor, entry: ArchiveEntry): Promise<void> {
  const header = Buffer.from(await cursor.take(LOCAL_HEADER_SIZE));
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    throw new ArchiveError(`"${entry.path}" does not start where the directory says.`);
  }
  const flags = header.readUInt16LE(6);
  const name = await cursor.take(header.readUInt16LE(26));
  const extra = await cursor.take(header.readUInt16LE(28));
  if (hasZip64Field(extra)) throw zip64();
  const hasDescriptor = (flags & HAS_DESCRIPTOR) !== 0;
  const isSame =
    Buffer.compare(name, entry.rawName) === 0 &&
    header.readUInt16LE(8) === entry.method &&
    ((flags ^ entry.flags) & COMPARED_FLAGS) === 0 &&
    (hasDescriptor ||
      (header.readUInt32LE(14) === entry.crc32 &&
        header.readUInt32LE(18) === entry.compressedSize &&
        header.readUInt32LE(22) === entry.size));
  if (!isSame)
    throw new ArchiveError(`"${entry.path}" has two headers that contradict each other.`);
}

function inflateWhole(packed: Uint8Array, entry: ArchiveEntry): Uint8Array {
  try {
    // A buffer of the usual size for each of thousands of tiny files is mostly garbage.
    const chunkSize = Math.max(entry.size, zlibConstants.Z_MIN_CHUNK);
    return inflateRawSync(packed, { chunkSize, maxOutputLength: Math.max(entry.size, 1) });
  } catch (error) {
    throw damaged(entry, error);
  }
}

async function checkStream(
  cursor: ByteCursor,
  entry: ArchiveEntry,
  hash: Hash | undefined,
): Promise<void> {
  let [size, sum] = [0, 0];
  const measure = async (content: AsyncIterable<Uint8Array>) => {
    for await (const chunk of content) {
      size += chunk.length;
      sum = crc32(chunk, sum);
      hash?.update(chunk);
      if (size > entry.size) throw new ArchiveError(`"${entry.path}" is longer than it claims.`);
    }
  };
  const packed = cursor.stream(entry.compressedSize);
  if (entry.method === DEFLATED) await inflateStream(packed, entry, measure);
  else await measure(packed);
  compare(entry, size, sum);
}

async function inflateStream(
  packed: AsyncIterable<Uint8Array>,
  entry: ArchiveEntry,
  measure: (content: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  try {
    await pipeline(packed, createInflateRaw({ chunkSize: SMALL_BYTES_MAX }), measure);
  } catch (error) {
    throw isZlibError(error) ? damaged(entry, error) : error;
  }
}

function compare(entry: ArchiveEntry, size: number, sum: number): void {
  if (size !== entry.size) {
    throw new ArchiveError(`"${entry.path}" is ${size} bytes long and claims ${entry.size}.`);
  }
  if (sum !== entry.crc32) throw damaged(entry);
}

function overlapping(entry: ArchiveEntry): ArchiveError {
  return new ArchiveError(`"${entry.path}" overlaps another file of the archive.`);
}

function damaged(entry: ArchiveEntry, cause?: unknown): ArchiveError {
  return new ArchiveError(`"${entry.path}" is damaged: its checksum is wrong.`, {
    cause,
    isDamage: true,
  });
}
