import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { PackageBytes } from "../ports.ts";

/**
 * Large enough that a read costs little compared with hashing it, small enough not to hold up
 * others.
 */
const CHUNK_BYTES = 256 * 1024;

export type PackageFileOptions = {
  /**
   * Chunks are lent: each is overwritten when the next but one is read, so that memory stays at two
   * chunks whatever the garbage collector does. Right for verifying and hashing, which keep none;
   * wrong for whatever queues chunks, as streams do. Default false.
   */
  readonly lend?: boolean;
};

/** A file of this machine. Disposing closes it. Rejects with the system's error. */
export async function packageFileBytes(
  path: string,
  { lend = false }: PackageFileOptions = {},
): Promise<PackageBytes & AsyncDisposable> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    return {
      size,
      read: (range = { start: 0, end: size - 1 }) =>
        readAhead(handle, range, lend ? lender() : allocated),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The result of a browser, a form or `fs.openAsBlob`. */
export function packageBlobBytes(blob: Blob): PackageBytes {
  return {
    size: blob.size,
    read: (range) => (range ? blob.slice(range.start, range.end + 1) : blob).stream(),
  };
}

type Range = { readonly start: number; readonly end: number };
type Allocate = (length: number) => Buffer;

const allocated: Allocate = (length) => Buffer.allocUnsafeSlow(length);

/** One buffer is read into while the other is worked on. */
function lender(): Allocate {
  const buffers: Buffer[] = [];
  let turn = 0;
  return (length) => {
    turn = 1 - turn;
    const buffer = (buffers[turn] ??= allocated(length));
    return buffer.length >= length ? buffer.subarray(0, length) : allocated(length);
  };
}

/** The next chunk is read while the one before is worked on. */
async function* readAhead(
  handle: FileHandle,
  { start, end }: Range,
  allocate: Allocate,
): AsyncGenerator<Uint8Array> {
  let next = readChunk(handle, { start, end }, allocate);
  for (let offset = start; ;) {
    const chunk = await next;
    offset += chunk.length;
    // A file that shrinks during the read ends early; a reader that counts bytes notices.
    const isLast = chunk.length === 0 || offset > end;
    if (!isLast) next = settled(readChunk(handle, { start: offset, end }, allocate));
    if (chunk.length > 0) yield chunk;
    if (isLast) return;
  }
}

async function readChunk(
  handle: FileHandle,
  { start, end }: Range,
  allocate: Allocate,
): Promise<Buffer> {
  const length = Math.min(CHUNK_BYTES, end - start + 1);
  if (length <= 0) return Buffer.alloc(0);
  const { bytesRead, buffer } = await handle.read(allocate(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

/** Keeps a failure until a caller awaits it; without this it would end the process before. */
function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
