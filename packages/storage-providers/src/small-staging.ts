import { keptUnder, keyOfBlob, keyOfSmallBlob } from "./blob-place.ts";
import type { BlobPlace } from "./blob-place.ts";
import type { KeptBlob, StagedBlob } from "./staged-blob.ts";
import type { Digests } from "./digests.ts";
import { createLending } from "./lending.ts";
import type { Loan } from "./lending.ts";
import { oneChunk } from "./one-chunk.ts";

/** A body of so many bytes is staged in memory, and goes to the store once, under its name. */
export const HELD_BYTES_MAX = 256 * 1024;
const FIRST_BYTES = 16 * 1024;
/** Held of all bodies of this process together; beyond it, each is held up to its first bytes. */
export const HELD_BYTES_TOTAL = 64 * 1024 * 1024;

/** For each body that has more than its first bytes. */
const borrow = createLending({
  much: HELD_BYTES_MAX,
  little: FIRST_BYTES,
  bytesMax: HELD_BYTES_TOTAL,
});

export type Beginning = {
  /** A copy: who makes the chunks may use their memory again. */
  readonly bytes: Uint8Array;
  /** Whatever follows; undefined when this is all. */
  readonly rest?: AsyncIterator<Uint8Array>;
  /** To be called once the bytes are not needed any more. */
  readonly release: () => void;
};

/** Reads until the end, or until there is more than may be held. */
export async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<Beginning> {
  const rest = body[Symbol.asyncIterator]();
  const held = createHeld();
  try {
    for (;;) {
      const { value: chunk, done } = await rest.next();
      if (done) return { bytes: held.bytes(), release: held.release };
      held.add(chunk);
      if (held.isFull()) return { bytes: held.bytes(), release: held.release, rest };
    }
  } catch (error) {
    held.release();
    throw error;
  }
}

function createHeld() {
  let memory = Buffer.allocUnsafe(FIRST_BYTES);
  let size = 0;
  let loan: Loan | undefined;
  return {
    add(chunk: Uint8Array) {
      if (size + chunk.length > memory.length) {
        const grown = Buffer.allocUnsafe(Math.max(2 * memory.length, size + chunk.length));
        memory.copy(grown, 0, 0, size);
        memory = grown;
        loan ??= borrow();
      }
      memory.set(chunk, size);
      size += chunk.length;
    },
    isFull: () => size > (loan?.bytes ?? FIRST_BYTES),
    bytes: () => memory.subarray(0, size),
    release: () => loan?.[Symbol.dispose](),
  };
}

/** The whole body again, as it was before its beginning was read. */
export async function* joinedBody({
  bytes,
  rest,
  release,
}: Beginning): AsyncGenerator<Uint8Array, void, undefined> {
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
  place: BlobPlace,
  { bytes, release }: Beginning,
  digests: Digests,
): StagedBlob {
  const { sha256 } = digests;
  const size = bytes.length;
  let kept: Promise<KeptBlob> | undefined;
  const keep = async (): Promise<KeptBlob> => {
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
    keep: () => (kept ??= keep()),
    async [Symbol.asyncDispose]() {
      await kept?.catch(() => undefined);
      release();
    },
  };
}
