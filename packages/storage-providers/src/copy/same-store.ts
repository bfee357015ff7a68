import { randomUUID } from "node:crypto";
import type { ObjectStore } from "../object-store.ts";
import { parseObjectKey } from "../object-store.ts";
import { oneChunk } from "../one-chunk.ts";
import type { Counted } from "../check/check-blobs.ts";
import { isStoreMounted } from "../store-marker.ts";
import { isCopied } from "./copied-keys.ts";
import { StoreCopyError } from "./store-copy-error.ts";

/** The stores of a copy. */
export type StorePair = { readonly from: ObjectStore; readonly to: ObjectStore };

/**
 * Counts the objects to copy. Writes a probe to the target first: the source must not list it. A
 * comparison of addresses is not sufficient, because one store may have several.
 *
 * @throws StoreCopyError `storage-copy-unmarked`, `storage-copy-same-store`
 */
export async function countSource(
  { from, to }: StorePair,
  signal: AbortSignal | undefined,
): Promise<Counted> {
  if (!(await isStoreMounted(from))) throw unmarked();
  const probe = parseObjectKey(`health/${randomUUID()}`);
  await to.write(probe, oneChunk(Buffer.from("probe")), { existing: "replace" });
  try {
    if (await from.stat(probe)) throw sameStore("is the source");
    const totals = { count: 0, bytes: 0 };
    for await (const { key, size } of from.list("")) {
      signal?.throwIfAborted();
      if (key.endsWith(`/${probe}`)) throw sameStore("is inside the source");
      if (!isCopied(key)) continue;
      totals.count += 1;
      totals.bytes += size;
    }
    return totals;
  } finally {
    await to.delete(probe);
  }
}

/** An unmounted folder would be an empty source. */
function unmarked(): StoreCopyError {
  return new StoreCopyError(
    "storage-copy-unmarked",
    "The source has no store marker, which each start of a host writes. Check that it is mounted.",
  );
}

function sameStore(reason: string): StoreCopyError {
  return new StoreCopyError(
    "storage-copy-same-store",
    `The target ${reason}. Use another folder, bucket or prefix.`,
  );
}
