import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import type { ByteSource } from "@sealhouse/http-responses";
import { ArchiveError, isZlibError } from "./archive-error.ts";
import type { ArchiveEntry } from "./central-directory.ts";
import { contentStart, DEFLATED } from "./central-directory.ts";

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
  const start = await contentStart(source, { offset });
  const packed = source.read({ start, end: start + compressedSize - 1 });
  if (method !== DEFLATED) {
    yield* packed;
    return;
  }
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const fed = pipeline(packed, inflate);
  // The reader below gets the same error; without a listener it would be unhandled.
  fed.catch(() => undefined);
  try {
    for await (const chunk of inflate) yield Buffer.from(chunk);
  } catch (cause) {
    if (!isZlibError(cause)) throw cause;
    throw new ArchiveError(`"${path}" is damaged.`, { cause });
  }
}
