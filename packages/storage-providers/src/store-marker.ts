import type { ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { StorageError } from "./storage-error.ts";

/** Key of an object that exists in every store of a registry, and contains the registry's id. */
export const STORE_MARKER = parseObjectKey("store-marker");

/** Content of a marker. */
export type StoreMark = {
  /** The registry that owns the store; undefined in markers of older releases. */
  readonly registryId: string | undefined;
};

const NOTICE = "This folder is the storage of a Sealhouse registry. Do not remove this file.\n";
const REGISTRY_LINE = /^Registry: (\S+)$/m;
const MARK_BYTES_MAX = 4096;
const LOST = "the storage has lost its marker; it may not be mounted";

/**
 * Whether the store is the storage of a registry: an unmounted folder or an empty bucket has no
 * marker. Rejects when the store does not answer.
 */
export async function isStoreMounted(store: ObjectStore): Promise<boolean> {
  return (await store.stat(STORE_MARKER)) !== undefined;
}

/** Reads the marker; undefined without one. */
export async function readMark(store: ObjectStore): Promise<StoreMark | undefined> {
  const stored = await store.read(STORE_MARKER);
  if (!stored) return undefined;
  if (stored.info.size > MARK_BYTES_MAX) return { registryId: undefined };
  const chunks: Uint8Array[] = [];
  for await (const chunk of stored.body) chunks.push(chunk);
  return { registryId: REGISTRY_LINE.exec(Buffer.concat(chunks).toString())?.[1] };
}

/** Makes the store that of a registry, even if another registry owns it. */
export async function adoptStore(store: ObjectStore, registryId: string): Promise<void> {
  await writeMark(store, registryId, "replace");
}

/**
 * Rejects unless the store has a marker, with the id if there is one. The store may have changed
 * since the start: a folder was unmounted, or another registry has adopted the store.
 *
 * @throws StorageError of code `storage-unavailable`
 */
export async function requireMarker(
  store: ObjectStore,
  registryId: string | undefined,
): Promise<void> {
  if (registryId === undefined) {
    if (await isStoreMounted(store)) return;
    throw unavailable(LOST);
  }
  const mark = await readMark(store);
  if (!mark) throw unavailable(LOST);
  if (mark.registryId === registryId) return;
  throw unavailable(`the storage now has the marker of another registry (${shownId(mark)})`);
}

function unavailable(reason: string): StorageError {
  return new StorageError("storage-unavailable", reason);
}

function shownId({ registryId }: StoreMark): string {
  return registryId ?? "without an id";
}

/** Options of `claimStore`. */
export type StoreClaim = {
  readonly registryId: string;
  /** Resolves to some keys that the database references. */
  readonly namedKeys: () => Promise<readonly string[]>;
};

/**
 * Outcome of `claimStore`:
 *
 * - `own`: the marker contains the id of the registry;
 * - `unmounted`: there is no marker, and none of the referenced objects;
 * - `foreign`: the marker contains another id. Without an id: the store has objects or a marker,
 *   but no object that the database references.
 */
export type StoreOwnership =
  | { readonly status: "own" | "unmounted" }
  | { readonly status: "foreign"; readonly registryId: string | undefined };

/**
 * Decides whether the store is that of the registry. Writes the marker to a new store, and the id
 * to the marker of an older release. Several instances of one registry may do so at once. Of
 * several registries, only one gets a new store.
 */
export async function claimStore(
  store: ObjectStore,
  { registryId, namedKeys }: StoreClaim,
): Promise<StoreOwnership> {
  const mark = await readMark(store);
  if (mark?.registryId !== undefined) return ownership(mark, registryId);
  const keys = await namedKeys();
  const isOwn = keys.length > 0 ? await hasAny(store, keys) : !(await hasBlobs(store));
  if (!isOwn) {
    const isUnmounted = !mark && keys.length > 0;
    return isUnmounted ? { status: "unmounted" } : { status: "foreign", registryId: undefined };
  }
  // The first writer of a new marker wins. A marker of an older release has to be replaced.
  if (!mark) await writeMark(store, registryId, "keep");
  const current = await readMark(store);
  if (current?.registryId !== undefined) return ownership(current, registryId);
  await writeMark(store, registryId, "replace");
  return ownership(await readMark(store), registryId);
}

function ownership(mark: StoreMark | undefined, registryId: string): StoreOwnership {
  if (mark?.registryId === registryId) return { status: "own" };
  return { status: "foreign", registryId: mark?.registryId };
}

async function writeMark(
  store: ObjectStore,
  registryId: string,
  existing: "replace" | "keep",
): Promise<void> {
  const text = `${NOTICE}Registry: ${registryId}\n`;
  await store.write(STORE_MARKER, oneChunk(Buffer.from(text)), { existing });
}

/** Whether the store has one of the objects. */
export async function hasAny(store: ObjectStore, keys: readonly string[]): Promise<boolean> {
  for (const key of keys) if (await store.stat(parseObjectKey(key))) return true;
  return false;
}

async function hasBlobs(store: ObjectStore): Promise<boolean> {
  for (const protocol of ["nuget", "npm", "oci"]) {
    for await (const _ of store.list(`${protocol}/blobs/`)) return true;
  }
  return false;
}
