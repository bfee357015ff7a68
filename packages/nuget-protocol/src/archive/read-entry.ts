import { crc32, inflateRawSync } from "node:zlib";
import type { ByteSource } from "@sealhouse/http-responses";
import { readRange } from "@sealhouse/zip-archive";
import { ArchiveError, withArchiveErrors } from "./archive-error.ts";
import type { ArchiveEntry } from "./central-directory.ts";
import { contentStart, DEFLATED } from "./central-directory.ts";

/**
 * The content of one small file, by ranges.
 * @throws {ArchiveError} when it is larger than `bytesMax`, packed or not, or damaged
 */
export async function readEntry(
  source: ByteSource,
  entry: ArchiveEntry,
  bytesMax: number,
): Promise<Uint8Array> {
  const { path, compressedSize, size } = entry;
  if (size > bytesMax || compressedSize > bytesMax) {
    throw new ArchiveError(`"${path}" is larger than ${bytesMax} bytes.`);
  }
  const start = await contentStart(source, entry);
  if (start + compressedSize > source.size) {
    throw new ArchiveError(`"${path}" does not lie inside the archive.`);
  }
  const packed = await withArchiveErrors(readRange(source, start, compressedSize));
  const content = entry.method === DEFLATED ? inflate(packed, entry) : packed;
  if (content.length !== size || crc32(content) !== entry.crc32) {
    throw new ArchiveError(`"${path}" is damaged: its checksum is wrong.`);
  }
  return content;
}

function inflate(packed: Uint8Array, { path, size }: ArchiveEntry): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (cause) {
    throw new ArchiveError(`"${path}" is damaged: its checksum is wrong.`, { cause });
  }
}
