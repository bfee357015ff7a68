import { isFinalKey, keptUnder, keyOfBlob, keyOfStaged } from "./blob-location.ts";
import type { BlobLocation } from "./blob-location.ts";
import type { SavedBlob, StagedBlob, StageOptions } from "./staged-blob.ts";
import type { Digests } from "./digests.ts";
import { hashed, startHashing } from "./digests.ts";
import { guardedBody } from "./guarded-body.ts";
import type { ByteRange, ObjectKey } from "./object-store.ts";
import { rememberStates } from "./remembered-hashing.ts";
import type { RememberedHashing } from "./remembered-hashing.ts";
import { stagedErrorOf, withStagedErrors } from "./storage-error.ts";
import { heldBlob, joinedBody, readPrefix } from "./small-staging.ts";

/**
 * Stages a body and computes its digests. A small body stays in memory; a larger one is written
 * under a temporary key.
 */
export async function stageBody(
  place: BlobLocation,
  body: AsyncIterable<Uint8Array>,
  { hashes, remembersHashes, ...limits }: StageOptions,
): Promise<StagedBlob> {
  const remembered = remembersHashes && rememberStates(startHashing(hashes));
  const hashing = remembered ?? startHashing(hashes);
  const beginning = await readPrefix(guardedBody(hashed(body, hashing), limits));
  if (!beginning.rest) return heldBlob(place, beginning, hashing.digests());
  const { key, size } = await writeStaged(place, joinedBody(beginning), {});
  const { hashedUntil } = remembered ?? {};
  return stagedBlob(place, { key, size, digests: hashing.digests(), hashedUntil });
}

export async function writeStaged(
  place: BlobLocation,
  body: AsyncIterable<Uint8Array>,
  limits: { readonly maxBytes?: number; readonly signal?: AbortSignal },
): Promise<{ readonly key: ObjectKey; readonly size: number }> {
  const key = keyOfStaged(place);
  const options = { ...limits, existing: "replace", transient: true } as const;
  const outcome = await place.store.write(key, body, options);
  if (outcome.status !== "written") throw new Error(`${key} was not replaced`);
  return { key, size: outcome.size };
}

/** Creates a staged blob that owns an object, and deletes it at its disposal unless `keep` ran. */
export function stagedBlob(
  place: BlobLocation,
  source: {
    readonly key: ObjectKey;
    readonly size: number;
    readonly digests: Digests;
    readonly hashedUntil?: RememberedHashing["hashedUntil"] | undefined;
  },
): StagedBlob {
  const { size, digests, hashedUntil } = source;
  let key = source.key;
  let isKept = false;
  let savedBlob: Promise<SavedBlob> | undefined;

  const keep = async (): Promise<SavedBlob> => {
    const { sha256 } = digests;
    const blobKey = isFinalKey(place, key) ? key : keyOfBlob(place, sha256);
    if (blobKey !== key) await withStagedErrors(() => place.store.move(key, blobKey));
    key = blobKey;
    isKept = true;
    return keptUnder(place, { key: blobKey, size, sha256 });
  };

  return {
    size,
    digests,
    read: (range) => (isKept ? place.store.bytes(key, range) : readStaged(place, key, range)),
    ...(hashedUntil && { hashedUntil }),
    keep: () => (savedBlob ??= keep()),
    async [Symbol.asyncDispose]() {
      if (savedBlob) await savedBlob.catch(() => undefined);
      if (!isKept) await place.store.delete(source.key);
    },
  };
}

/** Reads bytes that are not durable yet. Rejects with `storage-staged-lost` when they are gone. */
export async function* readStaged(
  { store }: Pick<BlobLocation, "store">,
  key: ObjectKey,
  range?: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* store.bytes(key, range);
  } catch (error) {
    throw stagedErrorOf(error);
  }
}
