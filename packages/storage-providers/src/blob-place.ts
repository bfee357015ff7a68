import type { KeptBlob } from "./blob-store.ts";
import type { ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";

/** Where the blobs of one protocol live. */
export type BlobPlace = {
  readonly store: ObjectStore;
  readonly prefix: string;
  /** A name that no one else has: 16 hex digits or more. */
  readonly random: () => string;
};

/** The content address, under a new generation. */
export function keyOfBlob({ prefix, random }: BlobPlace, sha256: string): ObjectKey {
  return parseObjectKey(`${prefix}/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.${random()}`);
}

export function keptUnder(
  { store }: BlobPlace,
  kept: { readonly key: ObjectKey; readonly size: number; readonly sha256: string },
): KeptBlob {
  return { ...kept, discard: () => store.delete(kept.key) };
}
