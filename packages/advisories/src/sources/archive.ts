import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import { Open } from "unzipper";
import type { CentralDirectory, File } from "unzipper";
import { endOf, partsOf, readDirectory } from "./archive-directory.ts";
import type { DirectoryPart } from "./archive-directory.ts";

/** One file of an archive, decompressed. */
export type ArchivedFile = { readonly name: string; readonly bytes: Buffer };

export type ArchiveOptions = {
  /** Selects files by name. */
  readonly isWanted: (name: string) => boolean;
  /** Maximum bytes of one file, before and after decompression. */
  readonly bytesMax: number;
};

/** The input of unzipper. */
type ArchiveSource = {
  readonly size: () => Promise<number>;
  readonly stream: (offset: number, length?: number) => Readable;
};

const [STORED, DEFLATED] = [0, 8];
const IS_ENCRYPTED = 1;
const END_SIZE = 22;
const LOCAL_SIGNATURE = 0x04034b50;
/** unzipper keeps an object of a kilobyte for each entry that it opens, and archives have some
 * hundred thousand. */
const ENTRIES_AT_ONCE = 1000;
/** Maximum bytes of names and extra fields in local headers beyond those in the directory. */
const LOCAL_EXTRA_MAX = 2 * 0xffff;
/** Read at once with the content; more is rare. */
const LOCAL_EXTRA_USUAL = 64;
const CHUNK_SIZE = 64 * 1024;

/**
 * Yields the files of a ZIP archive in the order of its directory, including ZIP64.
 *
 * @throws {Error} for an invalid or damaged archive, or an unusual compression
 */
export async function* readArchive(
  path: string,
  options: ArchiveOptions,
): AsyncGenerator<ArchivedFile> {
  await using file = await open(path);
  for (const part of partsOf(await readDirectory(file), ENTRIES_AT_ONCE)) {
    for (const entry of await entriesOf(file, part)) {
      const name = entry.path;
      if (options.isWanted(name)) yield { name, bytes: await contentOf(entry, options.bytesMax) };
    }
  }
}

/**
 * Presents a part of the directory as a separate archive, because unzipper trusts counts and sizes.
 */
async function entriesOf(file: FileHandle, part: DirectoryPart): Promise<readonly File[]> {
  // unzipper reads the end record, then the directory, then the selected files.
  const first = [endOf(part), part.headers];
  const source: ArchiveSource = {
    size: () => Promise.resolve(END_SIZE),
    stream(offset, length = 0) {
      const bytes = first.shift();
      return bytes ? Readable.from([bytes]) : rangeOf(file, offset, length);
    },
  };
  const openSource: (
    source: ArchiveSource,
    options: { readonly tailSize: number; readonly padding: number },
  ) => Promise<CentralDirectory> = Open.custom;
  const { files } = await openSource(source, { tailSize: END_SIZE, padding: LOCAL_EXTRA_MAX });
  return files;
}

/**
 * Ends early when the file is not readable or has no local header, which unzipper reports. unzipper
 * ignores errors of its input stream.
 */
function rangeOf(file: FileHandle, offset: number, length: number): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    const end = offset + length;
    let size = Math.max(length - LOCAL_EXTRA_MAX + LOCAL_EXTRA_USUAL, 0);
    for (let position = offset; position < end; size = CHUNK_SIZE) {
      const bytes = await readUpTo(file, position, Math.min(size, end - position));
      if (bytes.length === 0 || (position === offset && !isLocalHeader(bytes))) return;
      yield bytes;
      position += bytes.length;
    }
  }
  return Readable.from(chunks(), { objectMode: false, highWaterMark: 1 });
}

/** unzipper does not look at the signature. */
function isLocalHeader(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === LOCAL_SIGNATURE;
}

async function readUpTo(file: FileHandle, position: number, size: number): Promise<Buffer> {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, position);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  }
}

/** unzipper compares neither size nor checksum. */
async function contentOf(entry: File, bytesMax: number): Promise<Buffer> {
  const { path: name, flags, compressionMethod: method, compressedSize, uncompressedSize } = entry;
  const sizes = [compressedSize, uncompressedSize, entry.offsetToLocalFileHeader];
  if (!sizes.every((size) => Number.isSafeInteger(size))) throw new Error(`${name} is damaged`);
  if (compressedSize > bytesMax || uncompressedSize > bytesMax) {
    throw new Error(`${name} is larger than ${bytesMax} bytes`);
  }
  const isKnown = method === STORED || method === DEFLATED;
  if (!isKnown || (flags & IS_ENCRYPTED) !== 0) throw new Error(`cannot unpack ${name}`);
  const bytes = await decompress(entry, uncompressedSize);
  if (bytes.length !== uncompressedSize || crc32(bytes) !== entry.crc32) {
    throw new Error(`${name} is damaged`);
  }
  return bytes;
}

/** Stops soon after `sizeMax` bytes, however many the entry decompresses to. */
async function decompress(entry: File, sizeMax: number): Promise<Buffer> {
  const stream = entry.stream();
  // The stream may fail after its last byte, without a listener.
  stream.on("error", () => undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > sizeMax) break;
    }
  } catch (cause) {
    throw new Error(`${entry.path} is damaged`, { cause });
  }
  return Buffer.concat(chunks);
}
