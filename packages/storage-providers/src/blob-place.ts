import type { KeptBlob } from "./staged-blob.ts";
import type { ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import type { SmallBlobs } from "./small-blobs.ts";
import { rowGeneration } from "./small-blobs.ts";

/** Where the blobs of one protocol live. */
export type BlobPlace = {
  readonly store: ObjectStore;
  readonly prefix: string;
  /** A name that no one else has: 16 hex digits or more. */
  readonly random: () => string;
  /** Absent where every blob is an object. */
  readonly small?: SmallBlobs | undefined;
};

/** The content address, under a new generation. */
export function keyOfBlob(place: BlobPlace, sha256: string): ObjectKey {
  return addressOf(place, sha256, place.random());
}

/** The same for one whose bytes stay with its row. */
export function keyOfSmallBlob(place: BlobPlace, sha256: string): ObjectKey {
  return addressOf(place, sha256, rowGeneration(place.random()));
}

function addressOf({ prefix }: BlobPlace, sha256: string, generation: string): ObjectKey {
  return parseObjectKey(`${prefix}/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.${generation}`);
}

export function keptUnder(
  { store }: BlobPlace,
  kept: { readonly key: ObjectKey; readonly size: number; readonly sha256: string },
): KeptBlob {
  return { ...kept, discard: () => store.delete(kept.key) };
}
