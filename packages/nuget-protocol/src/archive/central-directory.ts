import type { ByteSource } from "@sealhouse/http-responses";
import { ArchiveError } from "./archive-error.ts";
import { entryPathOf } from "./entry-path.ts";

/** One file of the archive, as the central directory tells it. */
export type ArchiveEntry = {
  /** Forward slashes, percent-decoded: the place where clients unpack it. */
  readonly path: string;
  readonly isDirectory: boolean;
  readonly rawName: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Of the local header, in bytes from the start of the file. */
  readonly offset: number;
  readonly externalAttributes: number;
};

export type CentralDirectory = {
  readonly entries: readonly ArchiveEntry[];
  /** Where the directory starts and the content ends. */
  readonly offset: number;
};

export const STORED = 0;
export const DEFLATED = 8;
export const HAS_DESCRIPTOR = 1 << 3;
const IS_UTF8 = 1 << 11;
/** Bits 0, 5, 6 and 13: encryption and patches, none of which a package may use. */
const FORBIDDEN_FLAGS = (1 << 0) | (1 << 5) | (1 << 6) | (1 << 13);

const END_SIGNATURE = 0x06054b50;
const END_SIZE = 22;
const COMMENT_SIZE_MAX = 0xffff;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_SIZE = 20;
const ZIP64_EXTRA_ID = 0x0001;
const ZIP64_IN_USE = 0xffffffff;
const HEADER_SIGNATURE = 0x02014b50;
const HEADER_SIZE = 46;
/** One less than NuGet's own limit, which must still leave room for the signature entry. */
const ENTRIES_MAX = 0xfffe - 1;
const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads and checks the directory: whole, at the very end, nothing before the first file, one disk,
 * no ZIP64, no encryption, known methods, safe and different paths.
 * @throws {ArchiveError} with the reason
 */
export async function readCentralDirectory(source: ByteSource): Promise<CentralDirectory> {
  const end = await readEnd(source);
  const bytes = await readRange(source, end.offset, end.size);
  const entries: ArchiveEntry[] = [];
  let at = 0;
  for (let index = 0; index < end.count; index++) {
    const { entry, length } = entryAt(bytes, at, end.offset);
    entries.push(entry);
    at += length;
  }
  if (at !== bytes.length) throw new ArchiveError("The archive's directory has the wrong size.");
  checkPaths(entries);
  const first = entries.reduce((least, entry) => Math.min(least, entry.offset), end.offset);
  if (first !== 0) throw new ArchiveError("The archive has bytes before its first file.");
  return { entries, offset: end.offset };
}

/** The bytes of a part of the file, which the caller knows to be small. */
export async function readRange(
  source: ByteSource,
  start: number,
  length: number,
): Promise<Buffer<ArrayBuffer>> {
  if (length === 0) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for await (const chunk of source.read({ start, end: start + length - 1 })) {
    bytes.set(chunk.subarray(0, length - filled), filled);
    filled += Math.min(chunk.length, length - filled);
  }
  if (filled < length) throw new ArchiveError("The file ends before its content does.");
  return bytes;
}

/** Whether an extra field says ZIP64 anywhere. Bytes after the last whole field are padding. */
export function hasZip64Extra(extra: Uint8Array): boolean {
  const view = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= view.length; at += 4 + view.readUInt16LE(at + 2)) {
    if (view.readUInt16LE(at) === ZIP64_EXTRA_ID) return true;
  }
  return false;
}

async function readEnd(source: ByteSource) {
  const tailSize = Math.min(source.size, END_SIZE + COMMENT_SIZE_MAX + ZIP64_LOCATOR_SIZE);
  const tail = await readRange(source, source.size - tailSize, tailSize);
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END_SIGNATURE);
  const at = tail.lastIndexOf(signature);
  if (at === -1 || at + END_SIZE > tail.length) {
    throw new ArchiveError("The file is not a zip archive, or its end is missing.");
  }
  if (at + END_SIZE + tail.readUInt16LE(at + 20) !== tail.length) {
    throw new ArchiveError("The file goes on, or breaks off, where the archive should end.");
  }
  const locatorAt = at - ZIP64_LOCATOR_SIZE;
  if (locatorAt >= 0 && tail.readUInt32LE(locatorAt) === ZIP64_LOCATOR_SIGNATURE) throw zip64();
  const count = tail.readUInt16LE(at + 10);
  const size = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  const isSplit = tail.readUInt32LE(at + 4) !== 0 || tail.readUInt16LE(at + 8) !== count;
  if (size === ZIP64_IN_USE || offset === ZIP64_IN_USE) throw zip64();
  if (isSplit) throw new ArchiveError("The archive is split over several disks.");
  if (count > ENTRIES_MAX) {
    throw new ArchiveError(`The archive has more than ${ENTRIES_MAX} files; it cannot be signed.`);
  }
  if (size > DIRECTORY_BYTES_MAX) {
    throw new ArchiveError(`The archive's directory is over ${DIRECTORY_BYTES_MAX} bytes.`);
  }
  if (offset + size !== source.size - tailSize + at) {
    throw new ArchiveError("The archive's directory does not lie directly before its end.");
  }
  return { count, size, offset };
}

function entryAt(
  bytes: Buffer,
  at: number,
  contentEnd: number,
): { entry: ArchiveEntry; length: number } {
  if (at + HEADER_SIZE > bytes.length || bytes.readUInt32LE(at) !== HEADER_SIGNATURE) {
    throw new ArchiveError("The archive's directory lists fewer files than it claims.");
  }
  const nameEnd = at + HEADER_SIZE + bytes.readUInt16LE(at + 28);
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
  const length = extraEnd + bytes.readUInt16LE(at + 32) - at;
  if (at + length > bytes.length) throw new ArchiveError("The archive's directory breaks off.");
  const rawName = bytes.subarray(at + HEADER_SIZE, nameEnd);
  const flags = bytes.readUInt16LE(at + 8);
  const name = nameOf(rawName, flags);
  const entry: ArchiveEntry = {
    ...entryPathOf(name),
    rawName,
    flags,
    method: bytes.readUInt16LE(at + 10),
    crc32: bytes.readUInt32LE(at + 16),
    compressedSize: bytes.readUInt32LE(at + 20),
    size: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
    externalAttributes: bytes.readUInt32LE(at + 38),
  };
  const disk = bytes.readUInt16LE(at + 34);
  checkEntry(entry, { disk, extra: bytes.subarray(nameEnd, extraEnd), contentEnd });
  return { entry, length };
}

function checkEntry(
  entry: ArchiveEntry,
  around: { readonly disk: number; readonly extra: Uint8Array; readonly contentEnd: number },
): void {
  const { path, compressedSize, size, offset, method } = entry;
  const usesZip64 = [compressedSize, size, offset].includes(ZIP64_IN_USE);
  if (usesZip64 || hasZip64Extra(around.extra)) throw zip64();
  if (around.disk !== 0) throw new ArchiveError("The archive is split over several disks.");
  if ((entry.flags & FORBIDDEN_FLAGS) !== 0) throw new ArchiveError(`"${path}" is encrypted.`);
  if (method !== STORED && method !== DEFLATED) {
    throw new ArchiveError(`"${path}" uses the compression method ${method}; use deflate.`);
  }
  if (method === STORED && size !== compressedSize) {
    throw new ArchiveError(`"${path}" is stored, but has two sizes.`);
  }
  // Deflate adds a few bytes per block at worst; more would be a way to fill our memory.
  if (method === DEFLATED && compressedSize > 2 * size + 1024) {
    throw new ArchiveError(`"${path}" is larger compressed than unpacked.`);
  }
  if (entry.isDirectory && size !== 0) throw new ArchiveError(`The folder "${path}" has content.`);
  if (offset + compressedSize > around.contentEnd) {
    throw new ArchiveError(`"${path}" does not lie inside the archive.`);
  }
}

function nameOf(raw: Uint8Array, flags: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    if ((flags & IS_UTF8) !== 0) throw new ArchiveError("A file name in it is not valid UTF-8.");
    return Buffer.from(raw).toString("latin1");
  }
}

function checkPaths(entries: readonly ArchiveEntry[]): void {
  const seen = new Set<string>();
  for (const { path } of entries) {
    const key = path.toLowerCase();
    if (seen.has(key)) throw new ArchiveError(`The archive has "${path}" twice.`);
    seen.add(key);
  }
}

function zip64(): ArchiveError {
  return new ArchiveError("The archive uses ZIP64, which package signatures do not allow.");
}
