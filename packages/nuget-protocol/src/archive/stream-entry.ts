import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import type { ByteSource } from "@sealhouse/http-responses";
import { ArchiveError } from "./archive-error.ts";
import type { ArchiveEntry } from "./central-directory.ts";
import { DEFLATED, readRange } from "./central-directory.ts";

const LOCAL_SIZE = 30;
const CHUNK_BYTES = 64 * 1024;

/**
 * The content of one file as a stream, whatever its size. For entries that `checkContent` has
 * passed: sizes and checksum are not compared again.
 * @throws {ArchiveError} when it cannot be unpacked
 */
export async function* streamEntry(
  source: ByteSource,
  { offset, compressedSize, method, path }: ArchiveEntry,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (compressedSize === 0) return;
  const header = await readRange(source, offset, LOCAL_SIZE);
  const start = offset + LOCAL_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = source.read({ start, end: start + compressedSize - 1 });
  if (method !== DEFLATED) {
    yield* packed;
    return;
  }
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const fed = pipeline(packed, inflate);
  // The reader below meets the same error; alone, this one would be nobody's.
  fed.catch(() => undefined);
  try {
    for await (const chunk of inflate) yield Buffer.from(chunk);
  } catch (cause) {
    if (!isZlibError(cause)) throw cause;
    throw new ArchiveError(`"${path}" is damaged.`, { cause });
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
