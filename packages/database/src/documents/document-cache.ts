import type { StoredDocument } from "@sealhouse/http-responses";

export type DocumentCache = {
  get(key: string): StoredDocument | undefined;
  set(key: string, document: StoredDocument): void;
  delete(key: string): void;
};

/** What a row costs beside its bytes, roughly. */
const OVERHEAD_BYTES = 512;

/** The documents that were used last, up to `bytesMax` together. None takes more than an eighth. */
export function createDocumentCache(bytesMax: number): DocumentCache {
  const documents = new Map<string, StoredDocument>();
  let bytes = 0;
  const remove = (key: string) => {
    const document = documents.get(key);
    if (!document) return;
    bytes -= sizeOf(document);
    documents.delete(key);
  };
  return {
    get(key) {
      const document = documents.get(key);
      if (!document) return undefined;
      // A Map keeps its order of insertion: the first key is the one not used for longest.
      documents.delete(key);
      documents.set(key, document);
      return document;
    },
    set(key, document) {
      remove(key);
      if (sizeOf(document) > bytesMax / 8) return;
      documents.set(key, document);
      bytes += sizeOf(document);
      for (const [oldest] of documents) {
        if (bytes <= bytesMax) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}

function sizeOf({ identity, gzip, zstd }: StoredDocument): number {
  const encoded = (gzip?.byteLength ?? 0) + (zstd?.byteLength ?? 0);
  return identity.byteLength + encoded + OVERHEAD_BYTES;
}
