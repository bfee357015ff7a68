import type { StoredDocument } from "@sealhouse/http-responses";
import type { DatabaseVersion } from "../raw/version.ts";

export type CachedDocument = {
  readonly document: StoredDocument;
  /** The database's version before the document was last read there. */
  readonly version: DatabaseVersion | undefined;
};

export type DocumentCache<T extends CachedDocument = CachedDocument> = {
  get(key: string): T | undefined;
  set(key: string, cached: T): void;
  delete(key: string): void;
};

/** Approximate overhead of a row in bytes. */
const OVERHEAD_BYTES = 512;

/**
 * Creates a cache of the most recently used documents, limited to `bytesMax`. A document larger
 * than `documentBytesMax`, by default an eighth of it, is not cached.
 */
export function createDocumentCache<T extends CachedDocument = CachedDocument>(
  bytesMax: number,
  documentBytesMax: number = bytesMax / 8,
): DocumentCache<T> {
  const documents = new Map<string, T>();
  let bytes = 0;
  const remove = (key: string) => {
    const cached = documents.get(key);
    if (!cached) return;
    bytes -= sizeOf(cached);
    documents.delete(key);
  };
  return {
    get(key) {
      const cached = documents.get(key);
      if (!cached) return undefined;
      // A Map keeps its order of insertion: the first key is the one not used for longest.
      documents.delete(key);
      documents.set(key, cached);
      return cached;
    },
    set(key, cached) {
      remove(key);
      if (sizeOf(cached) > documentBytesMax) return;
      documents.set(key, cached);
      bytes += sizeOf(cached);
      for (const [oldest] of documents) {
        if (bytes <= bytesMax) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}

function sizeOf({ document: { identity, gzip, zstd } }: CachedDocument): number {
  const encoded = (gzip?.byteLength ?? 0) + (zstd?.byteLength ?? 0);
  return identity.byteLength + encoded + OVERHEAD_BYTES;
}
