import type { BlobStore } from "../blob-store.ts";
import type { ObjectStore } from "../object-store.ts";
import { parseObjectKey } from "../object-store.ts";
import { isStoreMounted } from "../store-marker.ts";
import type { BlobObjects } from "./ports.ts";

/** Options of `storedObjects`. */
export type StoredObjectsOptions = {
  readonly store: ObjectStore;
  /** The blob store of the protocol; small blobs may be in their rows. */
  readonly blobs: Pick<BlobStore, "sizeOf" | "read">;
  /** The prefix of the blob store. */
  readonly prefix: string;
  /** Returns those of the keys that a row references. */
  readonly isNamed: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
};

/** Provides the objects of one protocol to a check, on any storage. */
export function storedObjects(options: StoredObjectsOptions): BlobObjects {
  const { store, blobs, prefix, isNamed } = options;
  const home = `${prefix}/blobs/`;
  const aside = `${prefix}/quarantine/`;
  return {
    sizeOf: (key) => blobs.sizeOf(key),
    read: (key) => blobs.read(key),
    isMounted: () => isStoreMounted(store),
    async *others(key) {
      // All generations of the same bytes share their name up to the last dot.
      const address = key.slice(0, key.lastIndexOf(".") + 1);
      for (const folder of [address, address.replace(home, aside)]) {
        for await (const { key: other } of store.list(folder)) {
          const atHome = other.replace(aside, home);
          if (!(await isNamed([atHome])).has(atHome)) yield other;
        }
      }
    },
    async bringBack(key) {
      const atHome = key.replace(aside, home);
      if (atHome !== key) await store.move(parseObjectKey(key), parseObjectKey(atHome));
      return atHome;
    },
  };
}
