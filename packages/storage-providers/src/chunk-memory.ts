import { createMemoryBudget } from "./memory-budget.ts";

/** Larger chunks would leave more memory to the garbage collector. */
const FRESH_BYTES = 128 * 1024;

/** A chunk of this size needs a quarter of the thread switches. */
const leaseMemory = createMemoryBudget({
  much: 512 * 1024,
  little: FRESH_BYTES,
  bytesMax: 32 * 1024 * 1024,
});

/** Memory for the chunks of one file. */
export type ChunkMemory = Disposable & {
  /** Returns memory for the next chunk, given the number of remaining bytes. */
  readonly next: (left: number) => Buffer;
};

export function memoryFor(length: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.max(0, length));
}

/** Allocates new memory for each chunk. */
export function freshMemory(): ChunkMemory {
  return {
    next: (left) => memoryFor(Math.min(FRESH_BYTES, left)),
    [Symbol.dispose]() {},
  };
}

/**
 * Reuses the same memory for all chunks. New memory costs more than the read, because the system
 * must clear its pages.
 */
export function lentMemory(left: number): ChunkMemory {
  const lease = leaseMemory();
  const memory = memoryFor(Math.min(lease.bytes, left));
  return {
    next: (length) => memory.subarray(0, length),
    [Symbol.dispose]: () => lease[Symbol.dispose](),
  };
}
