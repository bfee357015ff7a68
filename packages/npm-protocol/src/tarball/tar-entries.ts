import { refused } from "./refused.ts";
import type { TarHeader } from "./tar-header.ts";
import { BLOCK_BYTES, decodeUtf8, isZero, parsePaxRecords, parseTarHeader } from "./tar-header.ts";

export type TarEntry = {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size: number;
};

const EXTENSION_BYTES_MAX = 64 * 1024;
const KIND_OF_TYPE: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "6": "a FIFO",
  S: "a sparse file",
};

/**
 * Reads a tar archive. `onEntry` sees each file and directory and returns how many bytes of its
 * content it needs in one piece; `onContent` gets them. Header extensions, which call neither, may
 * have `extensionBytesMax` together. Stricter than any client, because clients differ.
 * @throws NpmError `tarball-refused` for archives that two clients could read differently
 */
export async function readTar(
  archive: AsyncIterable<Uint8Array>,
  onEntry: (entry: TarEntry) => "skip" | "read",
  onContent: (entry: TarEntry, content: Buffer) => void,
  extensionBytesMax: number,
): Promise<void> {
  const reader = readerOver(archive);
  let long: LongNames = {};
  let extensionBytes = 0;
  for (;;) {
    const block = await reader.take(BLOCK_BYTES);
    const header = block && parseTarHeader(block);
    if (!header) break;
    if (isExtension(header.type)) {
      extensionBytes += BLOCK_BYTES + header.size;
      if (extensionBytes > extensionBytesMax) throw refused("has too many tar header extensions");
      long = withExtension(long, header.type, await readExtension(reader, header));
      continue;
    }
    const entry = entryOf(header, long);
    long = {};
    const padding = (BLOCK_BYTES - (entry.size % BLOCK_BYTES)) % BLOCK_BYTES;
    if (onEntry(entry) === "read") onContent(entry, await reader.need(entry.size));
    else await reader.skip(entry.size);
    await reader.skip(padding);
  }
  if (Object.keys(long).length > 0) throw refused("ends after a long name that belongs to no file");
  await reader.expectZeros();
}

/** Values of extension headers for the next entry. */
type LongNames = { readonly path?: string; readonly size?: number };

function isExtension(type: string): boolean {
  return type === "x" || type === "g" || type === "L" || type === "K";
}

async function readExtension(reader: Reader, header: TarHeader): Promise<Buffer> {
  if (header.size > EXTENSION_BYTES_MAX) throw refused("has a tar header extension over 64 KiB");
  const content = await reader.need(header.size);
  await reader.skip((BLOCK_BYTES - (header.size % BLOCK_BYTES)) % BLOCK_BYTES);
  return content;
}

function withExtension(long: LongNames, type: string, content: Buffer): LongNames {
  if (type === "K") return long; // the target of a link; the link itself is refused
  const longNames = type === "L" ? { path: untilZero(content) } : paxNamesOf(type, content);
  if (longNames.path !== undefined && long.path !== undefined) {
    throw refused("gives one file two long names");
  }
  return { ...long, ...longNames };
}

function paxNamesOf(type: string, content: Buffer): LongNames {
  const records = parsePaxRecords(content);
  if ([...records.keys()].some((key) => key.startsWith("GNU.sparse"))) {
    throw refused("holds a sparse file");
  }
  const path = records.get("path");
  const size = records.get("size");
  if (type === "g" && (path !== undefined || size !== undefined)) {
    throw refused("names files in a global header, which clients read differently");
  }
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw refused("has a broken pax header");
  return { ...(path !== undefined && { path }), ...(size !== undefined && { size: Number(size) }) };
}

function entryOf(header: TarHeader, long: LongNames): TarEntry {
  const path = long.path ?? header.name;
  const size = long.size ?? header.size;
  if (header.type === "5" && size === 0) return { path, type: "directory", size };
  if (header.type === "5") throw refused("has a directory with content");
  if (header.type === "0") return { path, type: "file", size };
  const kind = KIND_OF_TYPE[header.type] ?? `an entry of unknown type ${header.type}`;
  throw refused(`holds ${kind} (${path.slice(0, 100)}), where only files and folders may be`);
}

function untilZero(content: Buffer): string {
  const end = content.indexOf(0);
  return decodeUtf8(end === -1 ? content : content.subarray(0, end));
}

type Reader = {
  /** Exactly `size` bytes; undefined at the end of the archive. */
  take(size: number): Promise<Buffer | undefined>;
  need(size: number): Promise<Buffer>;
  skip(size: number): Promise<void>;
  /** To the end, which clients ignore and which therefore must be empty. */
  expectZeros(): Promise<void>;
};

function readerOver(archive: AsyncIterable<Uint8Array>): Reader {
  const chunks = archive[Symbol.asyncIterator]();
  let remainder: Buffer = Buffer.alloc(0);

  const more = async (): Promise<boolean> => {
    const { value, done } = await chunks.next();
    if (done) return false;
    remainder = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return true;
  };

  const take = async (size: number): Promise<Buffer | undefined> => {
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > 0) {
      if (remainder.length === 0 && !(await more())) break;
      const part = remainder.subarray(0, missing);
      remainder = remainder.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    if (missing > 0 && parts.length > 0) throw cutOff();
    return missing > 0 ? undefined : Buffer.concat(parts);
  };

  return {
    take,
    async need(size) {
      const bytes = await take(size);
      if (!bytes) throw cutOff();
      return bytes;
    },
    async skip(size) {
      for (let missing = size; missing > 0;) {
        if (remainder.length === 0 && !(await more())) throw cutOff();
        const skipped = Math.min(remainder.length, missing);
        remainder = remainder.subarray(skipped);
        missing -= skipped;
      }
    },
    async expectZeros() {
      do {
        if (!isZero(remainder)) throw refused("has something behind the end of its tar archive");
      } while (await more());
    },
  };
}

function cutOff() {
  return refused("is cut off");
}
