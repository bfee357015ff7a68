import type { KeptBlob, StagedBlob } from "./blob-store.ts";
import type { Digests } from "./digests.ts";
import { hashed, startHashing } from "./digests.ts";
import type { StageOptions } from "./blob-store.ts";
import type { ObjectKey, ObjectStore } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";

/** Where the blobs of one protocol live. */
export type BlobPlace = {
  readonly store: ObjectStore;
  readonly prefix: string;
  /** A name that no one else has: 16 hex digits or more. */
  readonly random: () => string;
};

/** Writes the body under a key of its own, hashed on the way, synced, but not named yet. */
export async function stageBody(
  place: BlobPlace,
  body: AsyncIterable<Uint8Array>,
  { hashes, ...limits }: StageOptions,
): Promise<StagedBlob> {
  const hashing = startHashing(hashes);
  const { key, size } = await writeStaged(place, hashed(body, hashing), limits);
  return stagedBlob(place, { key, size, digests: hashing.digests() });
}

export async function writeStaged(
  place: BlobPlace,
  body: AsyncIterable<Uint8Array>,
  limits: { readonly maxBytes?: number; readonly signal?: AbortSignal },
): Promise<{ readonly key: ObjectKey; readonly size: number }> {
  const key = parseObjectKey(`${place.prefix}/staging/${place.random()}`);
  const options = { ...limits, existing: "replace", transient: true } as const;
  const outcome = await place.store.write(key, body, options);
  if (outcome.status !== "written") throw new Error(`${key} was not replaced`);
  return { key, size: outcome.size };
}

/** `source` belongs to the staged blob from now on: it is moved or deleted. */
export function stagedBlob(
  place: BlobPlace,
  source: { readonly key: ObjectKey; readonly size: number; readonly digests: Digests },
): StagedBlob {
  const { size, digests } = source;
  let key = source.key;
  let kept: Promise<KeptBlob> | undefined;

  const keep = async (): Promise<KeptBlob> => {
    const { sha256 } = digests;
    const folder = `${place.prefix}/blobs/sha256/${sha256.slice(0, 2)}`;
    const named = parseObjectKey(`${folder}/${sha256}.${place.random()}`);
    await place.store.move(key, named);
    key = named;
    return { key: named, size, sha256, discard: () => place.store.delete(named) };
  };

  return {
    size,
    digests,
    read: (range) => place.store.bytes(key, range),
    keep: () => (kept ??= keep()),
    async [Symbol.asyncDispose]() {
      if (kept) await kept.catch(() => undefined);
      if (key === source.key) await place.store.delete(source.key);
    },
  };
}
