import type { ByteSource } from "@sealhouse/http-responses";
import { LOCAL_HEADER_SIZE, readRange, readZipArchive } from "@sealhouse/zip-archive";
import type { ZipEntry } from "@sealhouse/zip-archive";
import { ArchiveError, withArchiveErrors } from "./archive-error.ts";

/** One file of the archive, by its record in the central directory. */
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
  /** Position of the local header, in bytes from the start of the file. */
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

/** Which untidy archives are read. */
export type ArchiveOptions = {
  /** Whether a path may occur several times. `checkContent` then requires the same content of all
   * its entries. Default false. */
  readonly allowsRepeats?: boolean;
};

/** A signature that occurs twice is never read. */
export const SIGNATURE_PATH = ".signature.p7s";

/**
 * Reads and checks the directory: whole, at the very end, nothing before the first file, one disk,
 * no ZIP64, no encryption, known methods, safe and different paths, no overlaps.
 * @throws {ArchiveError} with the reason
 */
export async function readCentralDirectory(
  source: ByteSource,
  { allowsRepeats = false }: ArchiveOptions = {},
): Promise<CentralDirectory> {
  const archive = await withArchiveErrors(readZipArchive(source));
  const entries = archive.entries.map(entryOf);
  checkPaths(entries, allowsRepeats);
  if (archive.entries.every(({ start }) => start > 0)) {
    throw new ArchiveError("The archive has bytes before its first file.");
  }
  return { entries, offset: archive.directoryStart };
}

function entryOf(zipEntry: ZipEntry): ArchiveEntry {
  const { name: rawName, flags, uncompressedSize: size, start: offset } = zipEntry;
  const { method, crc32, compressedSize, externalAttributes } = zipEntry;
  const name = nameOf(rawName, flags);
  const entry: ArchiveEntry = {
    ...entryPathOf(name),
    rawName,
    flags,
    method,
    crc32,
    compressedSize,
    size,
    offset,
    externalAttributes,
  };
  checkEntry(entry);
  return entry;
}

function checkEntry(entry: ArchiveEntry): void {
  const { path, compressedSize, size, method } = entry;
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
}

function nameOf(raw: Uint8Array, flags: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    if ((flags & IS_UTF8) !== 0) throw new ArchiveError("A file name in it is not valid UTF-8.");
    return Buffer.from(raw).toString("latin1");
  }
}

function checkPaths(entries: readonly ArchiveEntry[], allowsRepeats: boolean): void {
  const seen = new Set<string>();
  for (const { path } of entries) {
    const key = path.toLowerCase();
    const isRefused = !allowsRepeats || key === SIGNATURE_PATH;
    if (seen.has(key) && isRefused) throw new ArchiveError(`The archive has "${path}" twice.`);
    seen.add(key);
  }
}

const CONTROL = /\p{Cc}/u;
const DRIVE = /^[A-Za-z]:/;
const LENGTH_MAX = 1024;

/**
 * Where clients unpack an entry: they turn backslashes round and percent-decode the name, so the
 * path must be safe before and after that.
 * @throws {ArchiveError} for a path that leaves the folder or has no clear meaning
 */
export function entryPathOf(name: string): { path: string; isDirectory: boolean } {
  if (name.length > LENGTH_MAX) throw new ArchiveError("A file name in it is far too long.");
  const slashed = name.replaceAll("\\", "/");
  const decoded = percentDecoded(slashed).replaceAll("\\", "/");
  for (const path of [slashed, decoded]) checkPath(path);
  const isDirectory = decoded.endsWith("/");
  return { path: isDirectory ? decoded.slice(0, -1) : decoded, isDirectory };
}

function checkPath(path: string): void {
  // JSON's escapes keep control characters out of logs and headers.
  const shown = JSON.stringify(path.slice(0, 200));
  if (CONTROL.test(path)) throw new ArchiveError(`The path ${shown} has control characters.`);
  if (DRIVE.test(path)) throw new ArchiveError(`The path ${shown} names a drive.`);
  const segments = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  if (segments.includes("..") || segments.includes(".") || segments.includes("")) {
    throw new ArchiveError(`The path ${shown} leaves its folder or has empty parts.`);
  }
}

/** Like the .NET client: an invalid escape stays unchanged. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => {
    const bytes = Buffer.from(escapes.replaceAll("%", ""), "hex");
    return bytes.toString("utf8");
  });
}

/** The file at a path that a manifest names. Paths in an archive are unique without regard to case,
 * so that is how they are looked up. */
export function findEntry({ entries }: CentralDirectory, path: string): ArchiveEntry | undefined {
  const lowerPath = path
    .replaceAll("\\", "/")
    .replace(/^(?:\.?\/)+/, "")
    .toLowerCase();
  return entries.find((entry) => !entry.isDirectory && entry.path.toLowerCase() === lowerPath);
}

/** The offset of an entry's compressed bytes. */
export async function contentStart(
  source: ByteSource,
  { offset }: Pick<ArchiveEntry, "offset">,
): Promise<number> {
  const header = await withArchiveErrors(readRange(source, offset, LOCAL_HEADER_SIZE));
  return offset + LOCAL_HEADER_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28);
}
