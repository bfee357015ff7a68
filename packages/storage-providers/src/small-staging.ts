import { keptUnder, keyOfBlob, keyOfSmallBlob } from "./blob-place.ts";
import type { BlobPlace } from "./blob-place.ts";
import type { KeptBlob, StagedBlob } from "./blob-store.ts";
import type { Digests } from "./digests.ts";

/** A body of so many bytes is staged in memory, and goes to the store once, under its name. */
export const HELD_BYTES_MAX = 256 * 1024;
const FIRST_BYTES = 16 * 1024;

export type Beginning = {
  /** A copy: who makes the chunks may use their memory again. */
  readonly bytes: Uint8Array;
  /** Whatever follows; undefined when this is all. */
  readonly rest?: AsyncIterator<Uint8Array>;
};

/** Reads until the end, or until there is more than may be held. */
export async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<Beginning> {
  const rest = body[Symbol.asyncIterator]();
  let held = Buffer.allocUnsafe(FIRST_BYTES);
  let size = 0;
  for (;;) {
    const { value: chunk, done } = await rest.next();
    if (done) return { bytes: held.subarray(0, size) };
    if (size + chunk.length > held.length) {
      const grown = Buffer.allocUnsafe(Math.max(2 * held.length, size + chunk.length));
      held.copy(grown, 0, 0, size);
      held = grown;
    }
    held.set(chunk, size);
    size += chunk.length;
    if (size > HELD_BYTES_MAX) return { bytes: held.subarray(0, size), rest };
  }
}

/** The whole body again, as it was before its beginning was read. */
export async function* joinedBody({ bytes, rest }: Beginning): AsyncGenerator<Uint8Array> {
  try {
    yield bytes;
    if (!rest) return;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest?.return?.();
  }
}

export function heldBlob(place: BlobPlace, bytes: Uint8Array, digests: Digests): StagedBlob {
  const { sha256 } = digests;
  const size = bytes.length;
  let kept: Promise<KeptBlob> | undefined;
  const keep = async (): Promise<KeptBlob> => {
    if (place.small && size <= place.small.bytesMax) {
      const key = keyOfSmallBlob(place, sha256);
      return { key, size, sha256, bytes, discard: async () => {} };
    }
    const key = keyOfBlob(place, sha256);
    await place.store.write(key, joinedBody({ bytes }), { existing: "replace" });
    return keptUnder(place, { key, size, sha256 });
  };
  return {
    size,
    digests,
    async *read(range) {
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      if (part.length > 0) yield part;
    },
    keep: () => (kept ??= keep()),
    async [Symbol.asyncDispose]() {
      await kept?.catch(() => undefined);
    },
  };
}
