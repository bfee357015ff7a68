import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { crc32, inflateRawSync } from "node:zlib";

/** One file of an archive, unpacked. */
export type ArchivedFile = { readonly name: string; readonly bytes: Buffer };

export type ArchiveOptions = {
  /** Of the files that are wanted. */
  readonly isWanted: (name: string) => boolean;
  /** Of one file, packed or not. */
  readonly bytesMax: number;
};

const END = { signature: 0x06054b50, size: 22, commentMax: 0xffff };
const LOCATOR = { signature: 0x07064b50, size: 20 };
const END_64 = { signature: 0x06064b50, size: 56 };
const HEADER = { signature: 0x02014b50, size: 46 };
const LOCAL = { signature: 0x04034b50, size: 30 };
const EXTRA_64 = 1;
const [IN_64_BITS, IN_64_BITS_SHORT] = [0xffffffff, 0xffff];
const [STORED, DEFLATED] = [0, 8];
const IS_ENCRYPTED = 1;
/** Of a million files. */
const DIRECTORY_BYTES_MAX = 256 * 1024 * 1024;
/** What local headers may have more than the directory, without a second read. */
const EXTRA_GUESSED = 64;

/**
 * The files of a zip archive, in the order of its directory. Archives of advisories have some
 * hundred thousand, more than the plain form can count: ZIP64 is read, too.
 * @throws {Error} for what is no archive, is damaged, or is packed in any unusual way
 */
export async function* readArchive(
  path: string,
  options: ArchiveOptions,
): AsyncGenerator<ArchivedFile> {
  await using file = await open(path);
  const { size } = await file.stat();
  const directory = await readDirectory(file, size);
  for (let at = 0; at < directory.length;) {
    const { entry, next } = entryAt(directory, at);
    at = next;
    if (!options.isWanted(entry.name)) continue;
    yield { name: entry.name, bytes: await contentOf(file, entry, options.bytesMax) };
  }
}

type Entry = {
  readonly name: string;
  readonly nameLength: number;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
};

async function readDirectory(file: FileHandle, fileSize: number): Promise<Buffer> {
  const tailSize = Math.min(fileSize, END.size + END.commentMax + LOCATOR.size);
  const tail = await read(file, fileSize - tailSize, tailSize);
  const at = endIn(tail);
  if (at === -1) throw new Error("it is not a zip archive");
  const plain = {
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  };
  const isLarge =
    plain.count === IN_64_BITS_SHORT || [plain.size, plain.offset].includes(IN_64_BITS);
  const { size, offset } = isLarge ? await readLargeEnd(file, tail, at) : plain;
  if (size > DIRECTORY_BYTES_MAX || offset + size > fileSize) {
    throw new Error("the archive's directory has the wrong size");
  }
  return read(file, offset, size);
}

/** The last record whose comment fills the rest. */
function endIn(tail: Buffer): number {
  for (let at = tail.length - END.size; at >= 0; at--) {
    const isEnd = tail.readUInt32LE(at) === END.signature;
    if (isEnd && at + END.size + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  return -1;
}

async function readLargeEnd(file: FileHandle, tail: Buffer, end: number) {
  const at = end - LOCATOR.size;
  if (at < 0 || tail.readUInt32LE(at) !== LOCATOR.signature) {
    throw new Error("the archive's directory has the wrong size");
  }
  const record = await read(file, bigAt(tail, at + 8), END_64.size);
  if (record.readUInt32LE(0) !== END_64.signature) throw new Error("the archive is damaged");
  return { size: bigAt(record, 40), offset: bigAt(record, 48) };
}

function entryAt(directory: Buffer, at: number): { readonly entry: Entry; readonly next: number } {
  const isWhole = at + HEADER.size <= directory.length;
  if (!isWhole || directory.readUInt32LE(at) !== HEADER.signature) {
    throw new Error("the archive's directory is damaged");
  }
  const nameLength = directory.readUInt16LE(at + 28);
  const extraLength = directory.readUInt16LE(at + 30);
  const commentLength = directory.readUInt16LE(at + 32);
  const nameAt = at + HEADER.size;
  const extraAt = nameAt + nameLength;
  const extra = directory.subarray(extraAt, extraAt + extraLength);
  const [size = 0, packedSize = 0, offset = 0] = largeValues(
    [at + 24, at + 20, at + 42].map((one) => directory.readUInt32LE(one)),
    extra,
  );
  const entry = {
    name: directory.toString("utf8", nameAt, extraAt),
    nameLength,
    flags: directory.readUInt16LE(at + 8),
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    packedSize,
    size,
    offset,
  };
  return { entry, next: extraAt + extraLength + commentLength };
}

/** In the order of the extra field, which has those only that do not fit in 32 bits. */
function largeValues(values: readonly number[], extra: Buffer): readonly number[] {
  if (!values.includes(IN_64_BITS)) return values;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== EXTRA_64) continue;
    let next = at + 4;
    return values.map((value) => {
      if (value !== IN_64_BITS) return value;
      next += 8;
      return bigAt(extra, next - 8);
    });
  }
  throw new Error("the archive's directory is damaged");
}

async function contentOf(file: FileHandle, entry: Entry, bytesMax: number): Promise<Buffer> {
  const { name, flags, method, packedSize, size } = entry;
  if (packedSize > bytesMax || size > bytesMax) {
    throw new Error(`${name} is larger than ${bytesMax} bytes`);
  }
  const isKnown = method === STORED || method === DEFLATED;
  if (!isKnown || (flags & IS_ENCRYPTED) !== 0) throw new Error(`${name} cannot be unpacked`);
  const packed = await readPacked(file, entry);
  const bytes = method === STORED ? packed : inflate(packed, entry);
  if (bytes.length !== size || crc32(bytes) !== entry.crc) throw new Error(`${name} is damaged`);
  return bytes;
}

/** Header and content in one read, as long as the header is no longer than most are. */
async function readPacked(
  file: FileHandle,
  { name, nameLength, offset, packedSize }: Entry,
): Promise<Buffer> {
  const guess = LOCAL.size + nameLength + EXTRA_GUESSED + packedSize;
  const bytes = await readUpTo(file, offset, guess);
  if (bytes.length < LOCAL.size || bytes.readUInt32LE(0) !== LOCAL.signature) {
    throw new Error(`${name} is damaged`);
  }
  const start = LOCAL.size + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
  if (start + packedSize <= bytes.length) return bytes.subarray(start, start + packedSize);
  return read(file, offset + start, packedSize);
}

function inflate(packed: Buffer, { name, size }: Entry): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (cause) {
    throw new Error(`${name} is damaged`, { cause });
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = await readUpTo(file, position, length);
  if (bytes.length < length) throw new Error("the archive ends early");
  return bytes;
}

async function readUpTo(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function bigAt(bytes: Buffer, at: number): number {
  return at + 8 <= bytes.length ? Number(bytes.readBigUInt64LE(at)) : Number.MAX_SAFE_INTEGER;
}
