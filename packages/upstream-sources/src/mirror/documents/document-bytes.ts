import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gunzipSync, gzip, gzipSync } from "node:zlib";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { DocumentKey, KeptDocument, KeptDocuments } from "../ports.ts";

/** The bytes of kept documents, compressed in rows and the last ones in memory. */
export type DocumentBytes = {
  read(key: DocumentKey, kept: KeptDocument): Promise<Uint8Array>;
  /** Returns the bytes for the row, and remembers them. `sent`: their gzip from the source. */
  pack(revision: string, bytes: Uint8Array, sent?: Uint8Array): Promise<Uint8Array>;
};

/** One document is read several times in a row: for its rendering, and for each of its files. */
const MEMORY_BYTES = 8 * 1024 * 1024;
/** Documents up to this size are not compressed. */
const PLAIN_BYTES = 2 * 1024;
/** Up to this size, compression in this thread is cheaper than a call to another thread. */
const AT_ONCE_BYTES = 64 * 1024;
/** The first bytes of a gzip file; no document begins with them. */
const [MAGIC_1, MAGIC_2] = [0x1f, 0x8b];

const compress = promisify<Uint8Array, Buffer>(gzip);
const inflate = promisify<Uint8Array, Buffer>(gunzip);

export function createDocumentBytes(documents: Pick<KeptDocuments, "bytes">): DocumentBytes {
  const memory = new BoundedCache<string, Uint8Array>({
    weight: { max: MEMORY_BYTES, entryMax: MEMORY_BYTES / 2, of: ({ length }) => length },
  });
  return {
    async read(key, { revision }) {
      const known = memory.get(revision);
      if (known) return known;
      const packed = await documents.bytes(key);
      if (!packed) throw new Error(`the kept document of ${key.name} has no bytes`);
      const bytes = await unpacked(packed);
      // Another instance may have replaced the document since its revision was read.
      if (hash("sha256", bytes) === revision) memory.set(revision, bytes);
      return bytes;
    },
    async pack(revision, bytes, sent) {
      memory.set(revision, bytes);
      if (bytes.length <= PLAIN_BYTES) return bytes;
      if (sent && sent.length < bytes.length) return sent;
      return bytes.length <= AT_ONCE_BYTES ? gzipSync(bytes) : compress(bytes);
    },
  };
}

async function unpacked(packed: Uint8Array): Promise<Uint8Array> {
  if (packed[0] !== MAGIC_1 || packed[1] !== MAGIC_2) return packed;
  return packed.length <= AT_ONCE_BYTES ? gunzipSync(packed) : inflate(packed);
}
