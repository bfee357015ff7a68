import { BoundedCache } from "@sealhouse/bounded-cache";
import type { StoredDocument } from "@sealhouse/http-responses";
import type { DatabaseVersion } from "../raw/version.ts";

export type CachedDocument = {
  readonly document: StoredDocument;
  /** The database's version before the document was last read there. */
  readonly version: DatabaseVersion | undefined;
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
): BoundedCache<string, T> {
  return new BoundedCache<string, T>({
    weight: { max: bytesMax, entryMax: documentBytesMax, of: sizeOf },
  });
}

function sizeOf({ document: { identity, gzip, zstd } }: CachedDocument): number {
  const encoded = (gzip?.byteLength ?? 0) + (zstd?.byteLength ?? 0);
  return identity.byteLength + encoded + OVERHEAD_BYTES;
}
