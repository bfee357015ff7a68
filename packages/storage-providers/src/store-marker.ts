import type { ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";

/** Key of an object that exists in every store of a registry. */
export const STORE_MARKER = parseObjectKey("store-marker");

const TEXT = "This folder is the storage of a Sealhouse registry. Do not remove this file.\n";

/**
 * Whether the store is the registry's own: an unmounted folder or an empty bucket has no marker.
 * Rejects when the store does not answer.
 */
export async function isStoreMounted(store: ObjectStore): Promise<boolean> {
  return (await store.stat(STORE_MARKER)) !== undefined;
}

/**
 * Writes the marker to a new store, or to one from before markers existed. `namedKeys` resolves to
 * some keys that the database references. A store with none of them is not the registry's own and
 * gets no marker. Resolves to whether the marker exists.
 */
export async function markStore(
  store: ObjectStore,
  namedKeys: () => Promise<readonly string[]>,
): Promise<boolean> {
  if (await isStoreMounted(store)) return true;
  const keys = await namedKeys();
  if (keys.length > 0 && !(await hasAny(store, keys))) return false;
  await store.write(STORE_MARKER, oneChunk(Buffer.from(TEXT)), { existing: "replace" });
  return true;
}

async function hasAny(store: ObjectStore, keys: readonly string[]): Promise<boolean> {
  for (const key of keys) if (await store.stat(parseObjectKey(key))) return true;
  return false;
}
