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

/**
 * Returns a key for a body whose digest is not yet known. Where a move copies the bytes, the key is
 * final: the body stays there, and only the database knows its digest. Such a key also has a
 * generation after its last dot, as `storedObjects` expects.
 */
export function keyOfStaged({ store, prefix, random }: BlobLocation): ObjectKey {
  const name = store.copiesOnMove ? `blobs/streamed/${random()}.0` : `staging/${random()}`;
  return parseObjectKey(`${prefix}/${name}`);
}

/** Whether a staged body is already under its final key. */
export function isFinalKey({ prefix }: BlobLocation, key: ObjectKey): boolean {
  return key.startsWith(`${prefix}/blobs/`);
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
