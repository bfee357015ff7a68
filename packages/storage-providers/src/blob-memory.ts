import type { BlobStore } from "./blob-store.ts";
import type { ByteRange } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";

export type MemorableBlob = { readonly key: string; readonly size: number };

/** Reads blobs, and keeps the bytes of those that are read again and again. A blob never changes
 * under its key, so what is kept needs no checking; whether the key may still be read is known to
 * whoever asks. */
export interface BlobMemory {
  /** The whole blob, where it is at hand. */
  recall(key: string): Uint8Array | undefined;
  read(blob: MemorableBlob, range?: ByteRange): AsyncIterable<Uint8Array>;
}

export type BlobMemoryOptions = {
  /** So much is kept, the bytes that were used last; no blob takes more than an eighth of it. */
  readonly bytesMax: number;
};

/** So many keys of blobs that were read once are remembered. */
const SEEN_MAX = 4_096;

/**
 * The first reading of a blob is only noted, and the second one kept: an installation that reads a
 * thousand tarballs once each leaves nothing behind.
 */
export function createBlobMemory(
  blobs: Pick<BlobStore, "read">,
  { bytesMax }: BlobMemoryOptions,
): BlobMemory {
  const kept = createKept(bytesMax);
  const seen = new Set<string>();
  const isSecond = (key: string): boolean => {
    if (seen.delete(key)) return true;
    if (seen.size >= SEEN_MAX) seen.clear();
    seen.add(key);
    return false;
  };
  return {
    recall: kept.get,
    read({ key, size }, range) {
      const bytes = kept.get(key);
      if (bytes) return oneChunk(bytes, range);
      const isWorthIt = !range && size <= bytesMax / 8 && isSecond(key);
      const body = blobs.read(key, range);
      if (!isWorthIt) return body;
      return copied(body, (all) => {
        // A store that gave too little would else be believed for as long as anybody asks.
        if (all.length === size) kept.add(key, all);
      });
    },
  };
}

/** Blobs up to this size are read whole. */
const SMALL_BYTES = 128 * 1024;

/** Returns the whole bytes of a blob that is in memory or at most 128 KiB large; else undefined. */
export async function readSmall(
  memory: BlobMemory,
  blob: MemorableBlob,
): Promise<Uint8Array | undefined> {
  const known = memory.recall(blob.key);
  if (known || blob.size > SMALL_BYTES) return known;
  const [first = new Uint8Array(), ...others] = await Array.fromAsync(memory.read(blob));
  return others.length === 0 ? first : Buffer.concat([first, ...others]);
}

/** Leaving the loop early keeps nothing. */
async function* copied(
  body: AsyncIterable<Uint8Array>,
  keep: (all: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    // Copied: who makes the chunks may use their memory again.
    chunks.push(Uint8Array.from(chunk));
    yield chunk;
  }
  keep(Buffer.concat(chunks));
}

function createKept(bytesMax: number): {
  readonly get: (key: string) => Uint8Array | undefined;
  readonly add: (key: string, bytes: Uint8Array) => void;
} {
  const kept = new Map<string, Uint8Array>();
  let total = 0;
  const remove = (key: string) => {
    total -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const bytes = kept.get(key);
      if (!bytes) return undefined;
      // A Map keeps its order of insertion: the first key is the one not used for longest.
      kept.delete(key);
      kept.set(key, bytes);
      return bytes;
    },
    add(key, bytes) {
      remove(key);
      kept.set(key, bytes);
      total += bytes.length;
      for (const [oldest] of kept) {
        if (total <= bytesMax) break;
        remove(oldest);
      }
    },
  };
}
