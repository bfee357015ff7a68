import { BoundedCache } from "@sealhouse/bounded-cache";
import type { DocumentStore, StoredDocument } from "@sealhouse/http-responses";
import type { RequestContexts } from "./request-context.ts";

/** Options of `createAddressedDocuments`. */
export type AddressedDocumentsOptions = {
  /** Limit of the documents in memory, in bytes. Default 16 MiB. */
  readonly memoryBytesMax?: number;
};

const MEMORY_BYTES_MAX = 16 * 1024 * 1024;
/** Limits of cached addresses. */
const ADDRESSES = { entries: 64, keyLengthMax: 512 };
/** Approximate overhead of a cached document in bytes. */
const OVERHEAD_BYTES = 512;

/**
 * Stores documents of lasting addresses in `rows`, and all others in memory. The number of lasting
 * addresses is limited; that of the others is not, because a caller with a token may name any host.
 * Documents contain absolute links, so each address has its own.
 */
export function createAddressedDocuments(
  rows: DocumentStore,
  { isLastingAddress }: Pick<RequestContexts, "isLastingAddress">,
  { memoryBytesMax = MEMORY_BYTES_MAX }: AddressedDocumentsOptions = {},
): DocumentStore {
  const memory = new BoundedCache<string, Entry>({
    weight: { max: memoryBytesMax, of: sizeOf },
  });
  // Addresses become lasting, and remain so.
  const lasting = new BoundedCache<string, true>(ADDRESSES);
  const isRow = (key: string): boolean => {
    const address = addressIn(key);
    return lasting.remember(address, () => isLastingAddress(address) || undefined) === true;
  };
  return {
    async read(key) {
      if (isRow(key)) return rows.read(key);
      const entry = memory.get(key);
      if (!entry) return undefined;
      if ((await rows.revision(entry.group)) === entry.revision) return entry.document;
      memory.delete(key);
      return undefined;
    },
    revision: (group) => rows.revision(group),
    async keep(entry) {
      if (isRow(entry.key)) await rows.keep(entry);
      else memory.set(entry.key, entry);
    },
  };
}

/** Keys end with the address, after a blank (npm) or an `@` (NuGet); neither is in an address. */
function addressIn(key: string): string {
  return key.slice(Math.max(key.lastIndexOf(" "), key.lastIndexOf("@")) + 1);
}

type Entry = Parameters<DocumentStore["keep"]>[0];

function sizeOf({ key, document }: { readonly key: string; readonly document: StoredDocument }) {
  const { identity, gzip, zstd } = document;
  const encoded = (gzip?.byteLength ?? 0) + (zstd?.byteLength ?? 0);
  return key.length + identity.byteLength + encoded + OVERHEAD_BYTES;
}
