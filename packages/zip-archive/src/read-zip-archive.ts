import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { CENTRAL_HEADER_SIZE, DirectoryEntry, LOCAL_HEADER_SIZE } from "./zip-entry.ts";
import type { DirectoryBytes, ZipEntry } from "./zip-entry.ts";
import type { ZipProblem } from "./zip-error.ts";
import { ZipError } from "./zip-error.ts";

/** The directory of a ZIP archive. Offsets are from the start of the file. */
export type ZipArchive = {
  readonly size: number;
  /** In the order of the central directory. */
  readonly entries: readonly ZipEntry[];
  readonly directoryStart: number;
  readonly endRecordStart: number;
  /** The end of central directory record without its comment: 22 bytes. */
  readonly endRecord: Buffer;
};

/** 0xFFFF entries would be ZIP64. */
export const ENTRIES_MAX = 0xfffe;

const END_RECORD_SIZE = 22;
const END_RECORD_MARK = Buffer.from("PK\u0005\u0006", "latin1");
const TAIL_SIZE = 4 * 1024;
const ZIP64_LOCATOR_SIZE = 20;
const ZIP64_LOCATOR_MARK = 0x07064b50;
const ZIP64_FIELD = 0x0001;
/** The value of a size or an offset that is in a ZIP64 field. */
const IN_ZIP64 = 0xffffffff;
const HEADER_MARK = 0x02014b50;
const COMMENT_SIZE_MAX = 0xffff;
const DIRECTORY_SIZE_MAX = 16 * 1024 * 1024;
/** Entries read in one turn of the event loop: less than a millisecond. */
const ENTRIES_PER_TURN = 2_048;
const NAME_SHOWN_MAX = 200;

/**
 * Reads the end record and the central directory by ranges: two reads, or three with a long
 * comment, no matter how large the archive is. Refuses what readers could understand differently:
 * bytes after the end record or before it, several disks, ZIP64, entries that overlap each other or
 * the directory, and counts and sizes that contradict each other.
 * @throws {ZipError}
 */
export async function readZipArchive(source: ByteRanges): Promise<ZipArchive> {
  const { tail, index } = await readTail(source);
  const endRecord = tail.subarray(index, index + END_RECORD_SIZE);
  const tailStart = source.size - tail.length;
  const endRecordStart = tailStart + index;
  if (endRecordStart + END_RECORD_SIZE + endRecord.readUInt16LE(20) !== source.size) {
    refuse("truncated", "The file does not end where its end record says.");
  }
  const locator = index - ZIP64_LOCATOR_SIZE;
  if (locator >= 0 && tail.readUInt32LE(locator) === ZIP64_LOCATOR_MARK) throw zip64();
  const { count, size, start } = checkEndRecord(endRecord, endRecordStart);
  const inTail = start - tailStart;
  const directory =
    inTail >= 0 ? tail.subarray(inTail, inTail + size) : await readRange(source, start, size);
  return {
    size: source.size,
    entries: await entriesOf(directory, start, count),
    directoryStart: start,
    endRecordStart,
    endRecord: Buffer.from(endRecord),
  };
}

/** Whether an extra field has a ZIP64 part. Bytes after the last whole part are padding. */
export function hasZip64Field(extra: Uint8Array): boolean {
  const parts = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let index = 0; index + 4 <= extra.length;) {
    if (parts.getUint16(index, true) === ZIP64_FIELD) return true;
    index += 4 + parts.getUint16(index + 2, true);
  }
  return false;
}

/**
 * Bytes at the end of the file that usually contain the end record and the records before it. A
 * comment may have 64 KiB but rarely does: so much memory for every archive would keep the garbage
 * collector busy.
 */
async function readTail(
  source: ByteRanges,
): Promise<{ readonly tail: Buffer; readonly index: number }> {
  for (const sizeMax of [TAIL_SIZE, ZIP64_LOCATOR_SIZE + END_RECORD_SIZE + COMMENT_SIZE_MAX]) {
    const tailSize = Math.min(source.size, sizeMax);
    const tail = await readRange(source, source.size - tailSize, tailSize);
    const index = tail.lastIndexOf(END_RECORD_MARK);
    const isWhole = index >= ZIP64_LOCATOR_SIZE || tailSize === source.size;
    if (index >= 0 && isWhole && index + END_RECORD_SIZE <= tailSize) return { tail, index };
  }
  throw new ZipError("not-a-zip", "The file is not a zip archive, or its end is missing.");
}

function checkEndRecord(
  record: Buffer,
  recordStart: number,
): { readonly count: number; readonly size: number; readonly start: number } {
  const count = record.readUInt16LE(10);
  const size = record.readUInt32LE(12);
  const start = record.readUInt32LE(16);
  const isOnOneDisk = record.readUInt32LE(4) === 0;
  if (!isOnOneDisk) throw multiDisk();
  if (count > ENTRIES_MAX || size === IN_ZIP64 || start === IN_ZIP64) throw zip64();
  if (record.readUInt16LE(8) !== count) throw multiDisk();
  if (count === 0) refuse("not-a-zip", "The archive is empty.");
  if (size > DIRECTORY_SIZE_MAX) {
    refuse("directory-too-large", `The archive's directory is over ${DIRECTORY_SIZE_MAX} bytes.`);
  }
  if (start + size !== recordStart) {
    refuse("gap", "The archive's directory does not lie directly before its end.");
  }
  return { count, size, start };
}

async function entriesOf(
  bytes: Buffer,
  start: number,
  count: number,
): Promise<readonly ZipEntry[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const directory = { bytes, view };
  const entries: DirectoryEntry[] = [];
  let index = 0;
  while (entries.length < count) {
    if (entries.length % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await yieldToEventLoop();
    const entry = entryAt(directory, index);
    entry.headerStart = start + index;
    entries.push(entry);
    index += entry.headerSize;
  }
  if (index !== bytes.length) {
    refuse("truncated", "The archive's directory has the wrong size.");
  }
  setExtents(entries, start);
  return entries;
}

function entryAt(directory: DirectoryBytes, index: number): DirectoryEntry {
  const { bytes, view } = directory;
  const isWhole = index + CENTRAL_HEADER_SIZE <= bytes.length;
  if (!isWhole || view.getUint32(index, true) !== HEADER_MARK) {
    refuse("truncated", "The archive's directory lists fewer files than it claims.");
  }
  const nameSize = view.getUint16(index + 28, true);
  const nameEnd = index + CENTRAL_HEADER_SIZE + nameSize;
  const extraEnd = nameEnd + view.getUint16(index + 30, true);
  const end = extraEnd + view.getUint16(index + 32, true);
  if (end > bytes.length) refuse("truncated", "The archive's directory ends early.");
  const entry = new DirectoryEntry(directory, index, nameSize, end - index);
  const usesZip64 =
    entry.compressedSize === IN_ZIP64 ||
    entry.start === IN_ZIP64 ||
    entry.uncompressedSize === IN_ZIP64 ||
    (extraEnd > nameEnd && hasZip64Field(bytes.subarray(nameEnd, extraEnd)));
  if (usesZip64) throw zip64();
  if (view.getUint16(index + 34, true) !== 0) throw multiDisk();
  return entry;
}

/** An entry extends to the next one, with its data descriptor and what follows. */
function setExtents(entries: readonly DirectoryEntry[], directoryStart: number): void {
  const inOrder = isInOrder(entries)
    ? entries
    : entries.toSorted((left, right) => left.start - right.start);
  let next = 0;
  for (const entry of inOrder) {
    next += 1;
    const bytesMin = LOCAL_HEADER_SIZE + entry.nameSize + entry.compressedSize;
    if (entry.start + bytesMin > directoryStart) {
      refuse("entry-out-of-range", `${shown(entry)} does not lie inside the archive.`);
    }
    const end = inOrder[next]?.start ?? directoryStart;
    if (end - entry.start < bytesMin) {
      refuse("entry-out-of-range", `${shown(entry)} overlaps another file of the archive.`);
    }
    entry.end = end;
  }
}

/** As nearly every writer leaves them. */
function isInOrder(entries: readonly DirectoryEntry[]): boolean {
  let last = -1;
  for (const { start } of entries) {
    if (start <= last) return false;
    last = start;
  }
  return true;
}

/** JSON's escapes keep control characters out of logs and headers. */
function shown({ name }: ZipEntry): string {
  return JSON.stringify(name.toString("utf8").slice(0, NAME_SHOWN_MAX));
}

function zip64(): ZipError {
  return new ZipError("zip64", "The archive is in ZIP64 form.");
}

function multiDisk(): ZipError {
  return new ZipError("multi-disk", "The archive is split over several disks.");
}

function refuse(problem: ZipProblem, message: string): never {
  throw new ZipError(problem, message);
}

/** Bytes of a known size that can be read in parts, any number of times. */
export type ByteRanges = {
  readonly size: number;
  /** `end` is inclusive. */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
};

/**
 * Reads a small part of a file into memory.
 * @throws {ZipError} with the problem `truncated` when the file is shorter
 */
export async function readRange(
  source: ByteRanges,
  start: number,
  length: number,
): Promise<Buffer<ArrayBuffer>> {
  if (length === 0) return Buffer.alloc(0);
  if (start < 0 || start + length > source.size) throw tooShort();
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for await (const chunk of source.read({ start, end: start + length - 1 })) {
    // A source that gives more than it was asked for is not what its size says.
    if (filled + chunk.length > length) throw tooShort();
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < length) throw tooShort();
  return bytes;
}

function tooShort(): ZipError {
  return new ZipError("truncated", "The file ends before its content does.");
}
