import { ArchiveError } from "../errors.ts";
import type { PackageBytes } from "../ports.ts";

/** `length` bytes from `start`, in memory. Throws an ArchiveError when the file is shorter. */
export async function readBytes(
  file: PackageBytes,
  start: number,
  length: number,
): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0);
  if (start < 0 || start + length > file.size) {
    throw new ArchiveError("truncated", "The package ends before all of its parts.");
  }
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for await (const chunk of file.read({ start, end: start + length - 1 })) {
    if (filled + chunk.length > length) break;
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled !== length) {
    throw new ArchiveError("truncated", "The package could not be read to the end.");
  }
  return bytes;
}

/** Bytes that are in memory, as a file. */
export function packageBytesOf(bytes: Uint8Array): PackageBytes {
  return {
    size: bytes.length,
    async *read(range) {
      yield range ? bytes.subarray(range.start, range.end + 1) : bytes;
    },
  };
}

const TAIL_BYTES = 22 + 0xffff;

/**
 * The same file with its last 64 KiB read once and kept, because signing looks there several
 * times: at most one request to a remote store for a package with a directory of ordinary size.
 */
export function withTail(file: PackageBytes): PackageBytes {
  const start = Math.max(0, file.size - TAIL_BYTES);
  let tail: Promise<Buffer> | undefined;
  return {
    size: file.size,
    async *read(range = { start: 0, end: file.size - 1 }) {
      if (range.start < start) {
        yield* file.read(range);
        return;
      }
      tail ??= readBytes(file, start, file.size - start);
      yield (await tail).subarray(range.start - start, range.end + 1 - start);
    },
  };
}
