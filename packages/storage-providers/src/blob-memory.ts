import { BoundedCache } from "@sealhouse/bounded-cache";
import type { BlobStore } from "./blob-store.ts";
import type { ByteRange, ReadOptions } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";

/** A blob that can be cached: its key and its size in bytes. */
export type MemorableBlob = { readonly key: string; readonly size: number };

/**
 * Reads blobs, and caches the bytes of frequently read ones. A key always has the same bytes, so
 * the cache needs no validation. The caller checks whether the key may still be read.
 */
export interface BlobMemory {
  /** Returns the whole blob when it is cached. */
  recall(key: string): Uint8Array | undefined;
  read(blob: MemorableBlob, range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>;
}

/** Limits of a blob memory. */
export type BlobMemoryOptions = {
  /**
   * Maximum bytes of the cache, which keeps the most recently used blobs. A blob larger than an
   * eighth of it is not cached.
   */
  readonly bytesMax: number;
};

/** Number of tracked keys of blobs that were read once. */
const SEEN_MAX = 4_096;

/**
 * Creates a cache that keeps a blob at its second read. Tarballs that clients install only once
 * therefore use no memory.
 */
export function createBlobMemory(
  blobs: Pick<BlobStore, "read">,
  { bytesMax }: BlobMemoryOptions,
): BlobMemory {
  const cache = new BoundedCache<string, Uint8Array>({
    weight: { max: bytesMax, of: (bytes) => bytes.length },
  });
  const seen = new BoundedCache<string, true>({ entries: SEEN_MAX });
  const isSecond = (key: string): boolean => {
    const isSeen = seen.has(key);
    if (isSeen) seen.delete(key);
    else seen.set(key, true);
    return isSeen;
  };
  return {
    recall: (key) => cache.get(key),
    read({ key, size }, range, options) {
      const bytes = cache.get(key);
      if (bytes) return oneChunk(bytes, range);
      const isWorthIt = !range && size <= bytesMax / 8 && isSecond(key);
      const body = blobs.read(key, range, options);
      if (!isWorthIt) return body;
      return copied(body, (all) => {
        // Otherwise the cache would repeat a truncated answer of the store.
        if (all.length === size) cache.set(key, all);
      });
    },
  };
}

/** Maximum size of blobs that are read as one chunk. */
const SMALL_BYTES = 128 * 1024;

/** Returns the whole bytes of a blob that is in memory or at most 128 KiB large; else undefined. */
export async function readSmall(
  memory: BlobMemory,
  blob: MemorableBlob,
): Promise<Uint8Array | undefined> {
  const cachedBytes = memory.recall(blob.key);
  if (cachedBytes || blob.size > SMALL_BYTES) return cachedBytes;
  const [first = new Uint8Array(), ...others] = await Array.fromAsync(memory.read(blob));
  return others.length === 0 ? first : Buffer.concat([first, ...others]);
}

/** Caches nothing when the caller stops early. */
async function* copied(
  body: AsyncIterable<Uint8Array>,
  keep: (all: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    // Copies the chunk, because its producer may reuse the memory.
    chunks.push(Uint8Array.from(chunk));
    yield chunk;
  }
  keep(Buffer.concat(chunks));
}
