import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArchiveProblem } from "../errors.ts";
import { ArchiveError } from "../errors.ts";
import type { PackageBytes } from "../ports.ts";
import { readBytes } from "./package-bytes.ts";

/** One entry of the central directory, with the extent of its bytes in the file. */
export type ArchiveEntry = {
  readonly name: Buffer;
  /** Bytes of the name. */
  readonly nameSize: number;
  readonly flags: number;
  readonly method: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  readonly externalAttributes: number;
  /** The entry's bytes: `[start, end)`, up to the next entry or the central directory. */
  readonly start: number;
  readonly end: number;
  /** The central header: absolute offset in the file, and its bytes. */
  readonly headerStart: number;
  readonly headerSize: number;
  readonly header: Buffer;
};

/** A zip archive as far as signing needs it. Offsets are absolute. */
export type Archive = {
  readonly size: number;
  /** In the order of the central directory. */
  readonly entries: readonly ArchiveEntry[];
  readonly directoryStart: number;
  readonly endRecordStart: number;
  /** The end of central directory record without its comment: 22 bytes. */
  readonly endRecord: Buffer;
};

const END_RECORD_SIZE = 22;
const END_RECORD_MARK = Buffer.from("PK\u0005\u0006", "latin1");
const TAIL_SIZE = 4 * 1024;
const ZIP64_LOCATOR_SIZE = 20;
const ZIP64_LOCATOR_MARK = 0x07064b50;
const HEADER_SIZE = 46;
const HEADER_MARK = 0x02014b50;
export const LOCAL_HEADER_SIZE = 30;
const COMMENT_SIZE_MAX = 0xffff;
const DIRECTORY_SIZE_MAX = 16 * 1024 * 1024;
/** 0xFFFF marks ZIP64, and the signature needs one more. */
export const ENTRIES_MAX = 0xfffe;

/**
 * Reads the end record and the central directory by ranges: two reads, or three with a long
 * comment, no matter how large the package is. Refuses what no NuGet client could verify. Throws
 * an ArchiveError.
 */
export async function readArchive(file: PackageBytes): Promise<Archive> {
  const { tail, at } = await readTail(file);
  const endRecord = tail.subarray(at, at + END_RECORD_SIZE);
  const tailStart = file.size - tail.length;
  const endRecordStart = tailStart + at;
  if (endRecordStart + END_RECORD_SIZE + endRecord.readUInt16LE(20) !== file.size) {
    refuse("truncated", "The archive does not end with its end record.");
  }
  const { entries, size, start } = checkEndRecord(endRecord, endRecordStart);
  if (
    at >= ZIP64_LOCATOR_SIZE &&
    tail.readUInt32LE(at - ZIP64_LOCATOR_SIZE) === ZIP64_LOCATOR_MARK
  ) {
    throw zip64();
  }
  const inTail = start - tailStart;
  const directory =
    inTail >= 0 ? tail.subarray(inTail, inTail + size) : await readBytes(file, start, size);
  return {
    size: file.size,
    entries: await entriesOf(directory, start, entries),
    directoryStart: start,
    endRecordStart,
    endRecord: Buffer.from(endRecord),
  };
}

/**
 * The end of the file, with the end record and what may stand before it. A comment may be 64 KiB
 * long and hardly ever is: so much memory for every package would keep the collector busy.
 */
async function readTail(
  file: PackageBytes,
): Promise<{ readonly tail: Buffer; readonly at: number }> {
  for (const sizeMax of [TAIL_SIZE, ZIP64_LOCATOR_SIZE + END_RECORD_SIZE + COMMENT_SIZE_MAX]) {
    const tailSize = Math.min(file.size, sizeMax);
    const tail = await readBytes(file, file.size - tailSize, tailSize);
    const at = tail.lastIndexOf(END_RECORD_MARK);
    const isWhole = at >= ZIP64_LOCATOR_SIZE || tailSize === file.size;
    if (at >= 0 && isWhole && at + END_RECORD_SIZE <= tailSize) return { tail, at };
  }
  throw new ArchiveError("not-a-zip", "The file is not a zip archive.");
}

/** Clients hash what stands before the first entry and then never find the hash that was signed. */
export function refusePrefix(archive: Archive): void {
  if (archive.entries.every((entry) => entry.start > 0)) {
    throw new ArchiveError("prefix", "There are bytes before the archive's first entry.", "NU3008");
  }
}

function checkEndRecord(
  record: Buffer,
  recordStart: number,
): { readonly entries: number; readonly size: number; readonly start: number } {
  const entries = record.readUInt16LE(10);
  const size = record.readUInt32LE(12);
  const start = record.readUInt32LE(16);
  if (record.readUInt16LE(4) !== 0 || record.readUInt16LE(6) !== 0) {
    refuse("multi-disk", "The archive is spread over several disks.");
  }
  if (entries === 0xffff || size === 0xffffffff || start === 0xffffffff) throw zip64();
  if (record.readUInt16LE(8) !== entries) {
    refuse("multi-disk", "The archive is spread over several disks.");
  }
  if (entries === 0) refuse("not-a-zip", "The archive is empty.");
  if (entries > ENTRIES_MAX) refuse("too-many-entries", "The archive has too many entries.");
  if (size > DIRECTORY_SIZE_MAX) {
    refuse("directory-too-large", "The archive's directory is larger than 16 MiB.");
  }
  if (start + size !== recordStart) {
    refuse("gap", "The archive's end record does not follow its directory.");
  }
  return { entries, size, start };
}

/** So many entries are read in one turn of the event loop: less than a millisecond. */
const ENTRIES_PER_TURN = 2_048;

async function entriesOf(
  directory: Buffer,
  start: number,
  count: number,
): Promise<readonly ArchiveEntry[]> {
  const entries: DirectoryEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await nextTurn();
    const entry = entryAt(directory, at, start);
    entries.push(entry);
    at += entry.headerSize;
  }
  if (at !== directory.length) {
    refuse("truncated", "The archive's directory does not match its end record.");
  }
  setExtents(entries, start);
  return entries;
}

/**
 * A header of the directory. Its parts are read when somebody asks for them: of most entries
 * nobody wants to know more than where they are.
 */
class DirectoryEntry implements ArchiveEntry {
  readonly nameSize: number;
  readonly headerSize: number;
  readonly headerStart: number;
  readonly start: number;
  end = 0;
  readonly #directory: Buffer;
  readonly #at: number;

  constructor(directory: Buffer, at: number, size: { directoryStart: number; header: number }) {
    this.#directory = directory;
    this.#at = at;
    this.nameSize = directory.readUInt16LE(at + 28);
    this.headerSize = size.header;
    this.headerStart = size.directoryStart + at;
    this.start = directory.readUInt32LE(at + 42);
  }

  get name(): Buffer {
    const start = this.#at + HEADER_SIZE;
    return this.#directory.subarray(start, start + this.nameSize);
  }
  get flags(): number {
    return this.#directory.readUInt16LE(this.#at + 8);
  }
  get method(): number {
    return this.#directory.readUInt16LE(this.#at + 10);
  }
  get compressedSize(): number {
    return this.#directory.readUInt32LE(this.#at + 20);
  }
  get uncompressedSize(): number {
    return this.#directory.readUInt32LE(this.#at + 24);
  }
  get externalAttributes(): number {
    return this.#directory.readUInt32LE(this.#at + 38);
  }
  get header(): Buffer {
    return this.#directory.subarray(this.#at, this.#at + this.headerSize);
  }
}

function entryAt(directory: Buffer, at: number, directoryStart: number): DirectoryEntry {
  if (at + HEADER_SIZE > directory.length || directory.readUInt32LE(at) !== HEADER_MARK) {
    refuse("truncated", "The archive's directory is cut off.");
  }
  const nameEnd = at + HEADER_SIZE + directory.readUInt16LE(at + 28);
  const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
  const end = extraEnd + directory.readUInt16LE(at + 32);
  if (end > directory.length) refuse("truncated", "The archive's directory is cut off.");
  if (directory.readUInt16LE(at + 34) !== 0) {
    refuse("multi-disk", "The archive is spread over several disks.");
  }
  if (extraEnd > nameEnd && hasZip64Field(directory.subarray(nameEnd, extraEnd))) throw zip64();
  return new DirectoryEntry(directory, at, { directoryStart, header: end - at });
}

/** An entry spans to the next one, so that data descriptors and gaps travel with it. */
function setExtents(entries: readonly DirectoryEntry[], directoryStart: number): void {
  const inOrder = isInOrder(entries)
    ? entries
    : entries.toSorted((left, right) => left.start - right.start);
  let index = 0;
  for (const entry of inOrder) {
    index += 1;
    const end = inOrder[index]?.start ?? directoryStart;
    if (end === entry.start) refuse("entry-out-of-range", "Two entries share the same bytes.");
    const bytesMin = LOCAL_HEADER_SIZE + entry.nameSize + entry.compressedSize;
    if (end - entry.start < bytesMin) {
      refuse("entry-out-of-range", `The entry ${entry.name.toString()} overlaps another part.`);
    }
    entry.end = end;
  }
}

/** As every writer leaves them. */
function isInOrder(entries: readonly DirectoryEntry[]): boolean {
  return entries.every((entry, index) => entry.start > (entries[index - 1]?.start ?? -1));
}

function hasZip64Field(extra: Buffer): boolean {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 1) return true;
  }
  return false;
}

function zip64(): ArchiveError {
  return new ArchiveError("zip64", "The archive is in ZIP64 form and cannot be signed.", "NU3006");
}

function refuse(problem: ArchiveProblem, message: string): never {
  throw new ArchiveError(problem, message);
}
