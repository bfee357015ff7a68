import { keptUnder, keyOfBlob, keyOfSmallBlob } from "./blob-location.ts";
import type { BlobLocation } from "./blob-location.ts";
import type { SavedBlob, StagedBlob } from "./staged-blob.ts";
import type { Digests } from "./digests.ts";
import { createMemoryBudget } from "./memory-budget.ts";
import type { MemoryLease } from "./memory-budget.ts";
import { oneChunk } from "./one-chunk.ts";

/** Maximum size of bodies that are staged in memory and written once, under the final key. */
export const HELD_BYTES_MAX = 256 * 1024;
const FIRST_BYTES = 16 * 1024;
/** Maximum memory for staged bodies of this process. Beyond it, each keeps only its first bytes. */
export const HELD_BYTES_TOTAL = 64 * 1024 * 1024;

/** Leases for bodies that exceed their first bytes. */
const leaseMemory = createMemoryBudget({
  much: HELD_BYTES_MAX,
  little: FIRST_BYTES,
  bytesMax: HELD_BYTES_TOTAL,
});

export type BodyPrefix = {
  /** A copy, because the producer of the chunks may reuse its memory. */
  readonly bytes: Uint8Array;
  /** The remaining body; undefined when `bytes` is all of it. */
  readonly rest?: AsyncIterator<Uint8Array>;
  /** Call when the bytes are no longer needed. */
  readonly release: () => void;
};

/** Reads until the end of the body or the memory limit. */
export async function readPrefix(body: AsyncIterable<Uint8Array>): Promise<BodyPrefix> {
  const rest = body[Symbol.asyncIterator]();
  const buffer = createHeld();
  try {
    for (;;) {
      const { value: chunk, done } = await rest.next();
      if (done) return { bytes: buffer.bytes(), release: buffer.release };
      buffer.add(chunk);
      if (buffer.isFull()) return { bytes: buffer.bytes(), release: buffer.release, rest };
    }
  } catch (error) {
    buffer.release();
    throw error;
  }
}

function createHeld() {
  let memory = Buffer.allocUnsafe(FIRST_BYTES);
  let size = 0;
  let lease: MemoryLease | undefined;
  return {
    add(chunk: Uint8Array) {
      if (size + chunk.length > memory.length) {
        const grown = Buffer.allocUnsafe(Math.max(2 * memory.length, size + chunk.length));
        memory.copy(grown, 0, 0, size);
        memory = grown;
        lease ??= leaseMemory();
      }
      memory.set(chunk, size);
      size += chunk.length;
    },
    isFull: () => size > (lease?.bytes ?? FIRST_BYTES),
    bytes: () => memory.subarray(0, size),
    release: () => lease?.[Symbol.dispose](),
  };
}

/** Returns the complete body: the prefix and the rest. */
export async function* joinedBody({
  bytes,
  rest,
  release,
}: BodyPrefix): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield bytes;
    release();
    if (!rest) return;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    release();
    await rest?.return?.();
  }
}

export function heldBlob(
  place: BlobLocation,
  { bytes, release }: BodyPrefix,
  digests: Digests,
): StagedBlob {
  const { sha256 } = digests;
  const size = bytes.length;
  let savedBlob: Promise<SavedBlob> | undefined;
  const keep = async (): Promise<SavedBlob> => {
    if (place.small && size <= place.small.bytesMax) {
      const key = keyOfSmallBlob(place, sha256);
      return { key, size, sha256, bytes, discard: async () => {} };
    }
    const key = keyOfBlob(place, sha256);
    await place.store.write(key, oneChunk(bytes), { existing: "replace" });
    return keptUnder(place, { key, size, sha256 });
  };
  return {
    size,
    digests,
    read: (range) => oneChunk(bytes, range),
    keep: () => (savedBlob ??= keep()),
    async [Symbol.asyncDispose]() {
      await savedBlob?.catch(() => undefined);
      release();
    },
  };
}
