import { createLending } from "./lending.ts";

/** Larger chunks would leave more memory behind until it is collected. */
const FRESH_BYTES = 128 * 1024;

/** Each detour over a thread brings four times as much. */
const borrow = createLending({
  much: 512 * 1024,
  little: FRESH_BYTES,
  bytesMax: 32 * 1024 * 1024,
});

/** Where the chunks of one file are read into. */
export type ChunkMemory = Disposable & {
  /** For the next chunk, of which there are so many bytes left. */
  readonly next: (left: number) => Buffer;
};

export function memoryFor(length: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.max(0, length));
}

/** Every chunk is its own. */
export function freshMemory(): ChunkMemory {
  return {
    next: (left) => memoryFor(Math.min(FRESH_BYTES, left)),
    [Symbol.dispose]() {},
  };
}

/** The same memory for one chunk after the other. Fresh memory costs more than the reading: the
 * system has to clear every page of it. */
export function lentMemory(left: number): ChunkMemory {
  const loan = borrow();
  const memory = memoryFor(Math.min(loan.bytes, left));
  return {
    next: (length) => memory.subarray(0, length),
    [Symbol.dispose]: () => loan[Symbol.dispose](),
  };
}
