import type { FileHandle } from "node:fs/promises";

const END = { signature: 0x06054b50, size: 22, commentMax: 0xffff };
const LOCATOR = { signature: 0x07064b50, size: 20 };
const END_64 = { signature: 0x06064b50, size: 56 };
const HEADER = { signature: 0x02014b50, size: 46 };
const [IN_64_BITS, IN_64_BITS_SHORT] = [0xffffffff, 0xffff];
/** Sufficient for a million files. */
const DIRECTORY_BYTES_MAX = 256 * 1024 * 1024;

/** Consecutive headers of a directory. */
export type DirectoryPart = { readonly headers: Buffer; readonly count: number };

/**
 * Reads the directory of a ZIP archive, including ZIP64, and checks its size before it allocates
 * memory.
 *
 * @throws {Error} for an invalid or damaged archive
 */
export async function readDirectory(file: FileHandle): Promise<Buffer> {
  const { size: fileSize } = await file.stat();
  const tailSize = Math.min(fileSize, END.size + END.commentMax + LOCATOR.size);
  const tail = await read(file, fileSize - tailSize, tailSize);
  const endOffset = endIn(tail);
  if (endOffset === -1) throw new Error("it is not a zip archive");
  const plain = {
    count: tail.readUInt16LE(endOffset + 10),
    size: tail.readUInt32LE(endOffset + 12),
    offset: tail.readUInt32LE(endOffset + 16),
  };
  const isLarge =
    plain.count === IN_64_BITS_SHORT || [plain.size, plain.offset].includes(IN_64_BITS);
  const { size, offset } = isLarge ? await readLargeEnd(file, tail, endOffset) : plain;
  if (size > DIRECTORY_BYTES_MAX || offset + size > fileSize) {
    throw new Error("the archive's directory has the wrong size");
  }
  return read(file, offset, size);
}

/**
 * Splits a directory into parts of at most `countMax` headers.
 *
 * @throws {Error} for a damaged header
 */
export function* partsOf(directory: Buffer, countMax: number): Generator<DirectoryPart> {
  let start = 0;
  let count = 0;
  for (let offset = 0; offset < directory.length;) {
    offset += headerSizeAt(directory, offset);
    count += 1;
    if (count < countMax && offset < directory.length) continue;
    yield { headers: directory.subarray(start, offset), count };
    start = offset;
    count = 0;
  }
}

/** The end record of an archive that has this part only. */
export function endOf({ headers, count }: DirectoryPart): Buffer {
  const end = Buffer.alloc(END.size);
  end.writeUInt32LE(END.signature, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(headers.length, 12);
  return end;
}

function headerSizeAt(directory: Buffer, offset: number): number {
  const isWhole = offset + HEADER.size <= directory.length;
  if (!isWhole || directory.readUInt32LE(offset) !== HEADER.signature) {
    throw new Error("damaged archive directory");
  }
  const lengths = [28, 30, 32].map((field) => directory.readUInt16LE(offset + field));
  const size = lengths.reduce((sum, length) => sum + length, HEADER.size);
  if (offset + size > directory.length) throw new Error("damaged archive directory");
  return size;
}

/** The last record whose comment fills the rest. */
function endIn(tail: Buffer): number {
  for (let offset = tail.length - END.size; offset >= 0; offset--) {
    const isEnd = tail.readUInt32LE(offset) === END.signature;
    if (isEnd && offset + END.size + tail.readUInt16LE(offset + 20) === tail.length) return offset;
  }
  return -1;
}

async function readLargeEnd(file: FileHandle, tail: Buffer, end: number) {
  const offset = end - LOCATOR.size;
  if (offset < 0 || tail.readUInt32LE(offset) !== LOCATOR.signature) {
    throw new Error("the archive's directory has the wrong size");
  }
  const record = await read(file, bigAt(tail, offset + 8), END_64.size);
  if (record.readUInt32LE(0) !== END_64.signature) throw new Error("damaged archive");
  return { size: bigAt(record, 40), offset: bigAt(record, 48) };
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error("the archive ends early");
  return buffer;
}

function bigAt(bytes: Buffer, offset: number): number {
  return offset + 8 <= bytes.length
    ? Number(bytes.readBigUInt64LE(offset))
    : Number.MAX_SAFE_INTEGER;
}
