import type { SavedBlob } from "./staged-blob.ts";
import type { ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import type { SmallBlobs } from "./small-blobs.ts";
import { rowGeneration } from "./small-blobs.ts";

/** Location of the blobs of one protocol. */
export type BlobLocation = {
  readonly store: ObjectStore;
  readonly prefix: string;
  /** Returns a unique name of 16 hex digits or more. */
  readonly random: () => string;
  /** Undefined when every blob is an object. */
  readonly small?: SmallBlobs | undefined;
};

/** Returns the content address with a new generation. */
export function keyOfBlob(place: BlobLocation, sha256: string): ObjectKey {
  return addressOf(place, sha256, place.random());
}

/** Returns the content address with a new generation, for a blob that its row contains. */
export function keyOfSmallBlob(place: BlobLocation, sha256: string): ObjectKey {
  return addressOf(place, sha256, rowGeneration(place.random()));
}

function addressOf({ prefix }: BlobLocation, sha256: string, generation: string): ObjectKey {
  return parseObjectKey(`${prefix}/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.${generation}`);
}

export function keptUnder(
  { store }: BlobLocation,
  blob: { readonly key: ObjectKey; readonly size: number; readonly sha256: string },
): SavedBlob {
  return { ...blob, discard: () => store.delete(blob.key) };
}
