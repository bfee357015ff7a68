import type { PackageBytes } from "../ports.ts";
import { readBytes } from "./archive.ts";

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
    async *read(range = { start: 0, end: file.size - 1 }, options) {
      if (range.start < start) {
        yield* file.read(range, options);
        return;
      }
      tail ??= readBytes(file, start, file.size - start).catch((error: unknown) => {
        tail = undefined;
        throw error;
      });
      yield (await tail).subarray(range.start - start, range.end + 1 - start);
    },
  };
}
