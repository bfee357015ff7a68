import { close, constants, existsSync, fstatSync, open, read, readlinkSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { freshMemory, lentMemory, memoryFor } from "./chunk-memory.ts";
import type { ByteRange, ReadOptions } from "./object-store.ts";
import { StorageError } from "./storage-error.ts";

/** Maximum size of files that are read at once, and closed before the first chunk is returned. */
const SMALL_BYTES = 128 * 1024;
/** Refuses a link as the last segment, and does not block on a pipe. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const DESCRIPTORS = "/proc/self/fd";
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS);

// Uses plain descriptors, because promise-based handles cost more than reading a small file.
const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);

/** Opens the file at the first chunk. Bytes past its end are omitted. */
export async function* fileChunks(
  path: string,
  range: ByteRange | undefined,
  { reuse = false }: ReadOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const descriptor = await openFile(path, READ_ONLY);
  let isOpen = true;
  try {
    await assertAt(descriptor, path);
    // The kernel knows the size of an open file, so this never waits for a disk.
    const { size } = fstatSync(descriptor);
    const start = range?.start ?? 0;
    const end = Math.min(size, range ? range.end + 1 : size);
    if (end - start > SMALL_BYTES) {
      yield* chunksFrom(descriptor, { start, end, reuse });
      return;
    }
    const bytes = await readFully(descriptor, start, memoryFor(end - start));
    isOpen = false;
    await closeFile(descriptor);
    if (bytes.length > 0) yield bytes;
  } finally {
    if (isOpen) await closeFile(descriptor);
  }
}

async function* chunksFrom(
  descriptor: number,
  { start, end, reuse }: { readonly start: number; readonly end: number; readonly reuse: boolean },
): AsyncGenerator<Uint8Array, void, undefined> {
  using memory = reuse ? lentMemory(end - start) : freshMemory();
  for (let offset = start; offset < end;) {
    const chunk = await readFully(descriptor, offset, memory.next(end - offset));
    if (chunk.length === 0) return;
    offset += chunk.length;
    yield chunk;
  }
}

/** Reads until `bytes` is full or the file ends; returns the filled part. */
async function readFully(descriptor: number, start: number, bytes: Buffer): Promise<Uint8Array> {
  let filled = 0;
  while (filled < bytes.length) {
    const left = bytes.length - filled;
    const { bytesRead } = await readFile(descriptor, bytes, filled, left, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Verifies that the open file is at the path, and was not reached through a linked folder. */
async function assertAt(descriptor: number, path: string): Promise<void> {
  // The kernel answers this for the open file, without a disk access or a race.
  const actual = HAS_DESCRIPTORS
    ? dirname(readlinkSync(`${DESCRIPTORS}/${descriptor}`))
    : await realpath(dirname(path));
  if (actual !== dirname(path)) {
    throw new StorageError(
      "storage-invalid-key",
      `${dirname(path)} is not a folder of the store itself`,
    );
  }
}
