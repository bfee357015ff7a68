import { randomBytes } from "node:crypto";
import { createChunkedUploads } from "./chunked-uploads.ts";
import type { ByteRange, ObjectStore, ReadOptions } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import type { SmallBlobs } from "./small-blobs.ts";
import { bytesInRow, isInRow } from "./small-blobs.ts";
import { stageBody } from "./staging.ts";
import type { StageOptions, StagedBlob, ChunkedUploads } from "./staged-blob.ts";

/**
 * Content-addressed bytes: `{prefix}/blobs/sha256/ab/<hex>.<generation>`. Written once, hashed on
 * the way, synced. Every `keep` makes a generation of its own, so an object that a sweep deletes
 * can never be one that a later upload relies on.
 */
export interface BlobStore {
  stage(body: AsyncIterable<Uint8Array>, options?: StageOptions): Promise<StagedBlob>;
  /** Reads a named blob. The caller knows the size from the row that names it. Nothing is opened
   * before the first chunk is asked for; a missing blob rejects there with `not-found`.
   * Throws `invalid-key` at once. */
  read(key: string, range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>;
  /** In bytes; undefined when there is no such blob. Throws `invalid-key`. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Whether a named blob can be read. Throws `invalid-key`. */
  isPresent(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Where a client reads a named blob by itself, for `expiresInMs`; undefined where it has to come
   * through the host. Throws `invalid-key`. */
  presign(key: string, options: { readonly expiresInMs: number }): Promise<string | undefined>;
  readonly uploads: ChunkedUploads;
}

export type BlobStoreOptions = {
  /** The first segments of every key: `nuget`, `npm`, `oci`. */
  readonly prefix: string;
  /** Names generations, staged objects and parts; must never give the same text twice. */
  readonly random?: () => string;
  /** How many uploads keep their hash state in memory (some 500 bytes each). Default 1024. */
  readonly rememberedUploadsMax?: number;
  /** Keeps small blobs from becoming objects; default: all are. */
  readonly small?: SmallBlobs;
};

export function createBlobStore(store: ObjectStore, options: BlobStoreOptions): BlobStore {
  const { small, random = () => randomBytes(8).toString("hex") } = options;
  const place = { store, prefix: parseObjectKey(options.prefix), random, small };
  const sizeOf = async (key: string): Promise<number | undefined> => {
    if (isInRow(key)) return (await small?.read(key))?.length;
    return (await store.stat(parseObjectKey(key)))?.size;
  };
  return {
    stage: (body, stageOptions = {}) => stageBody(place, body, stageOptions),
    read(key, range, reading) {
      const parsed = parseObjectKey(key);
      return isInRow(key) ? bytesInRow(small, parsed, range) : store.bytes(parsed, range, reading);
    },
    sizeOf,
    isPresent: async (key) => (await sizeOf(key)) !== undefined,
    async delete(key) {
      const parsed = parseObjectKey(key);
      await (isInRow(key) ? small?.delete(key) : store.delete(parsed));
    },
    async presign(key, presignOptions) {
      const parsed = parseObjectKey(key);
      return isInRow(key) ? undefined : store.presign?.(parsed, presignOptions);
    },
    uploads: createChunkedUploads(place, options.rememberedUploadsMax ?? 1024),
  };
}
