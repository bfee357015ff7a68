import { randomBytes } from "node:crypto";
import { createChunkedUploads } from "./chunked-uploads.ts";
import type { ByteRange, ObjectStore, ReadOptions } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import type { SmallBlobs } from "./small-blobs.ts";
import { bytesInRow, isInRow } from "./small-blobs.ts";
import { stageBody } from "./staging.ts";
import type { StageOptions, StagedBlob, ChunkedUploads } from "./staged-blob.ts";

/**
 * Content-addressed bytes: `{prefix}/blobs/sha256/ab/<hex>.<generation>`, and on stores whose moves
 * copy, `{prefix}/blobs/streamed/<random>.0` for large blobs. A blob is written once, hashed during
 * the write, and synced. Every `keep` creates a separate generation, so a sweep never
 * deletes an object that a later upload uses.
 */
export interface BlobStore {
  stage(body: AsyncIterable<Uint8Array>, options?: StageOptions): Promise<StagedBlob>;
  /**
   * Reads a referenced blob, whose size the caller knows from its row. The blob is opened at the
   * first chunk, and a missing blob rejects there with `storage-not-found`. Throws
   * `storage-invalid-key` immediately.
   */
  read(key: string, range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>;
  /**
   * Resolves to the size in bytes; undefined when the blob does not exist. Throws
   * `storage-invalid-key`.
   */
  sizeOf(key: string): Promise<number | undefined>;
  /** Whether a referenced blob is readable. Throws `storage-invalid-key`. */
  isPresent(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /**
   * Returns a URL for reading the blob, valid for `expiresInMs`; undefined when clients must read
   * through the host. Throws `storage-invalid-key`.
   */
  presign(key: string, options: { readonly expiresInMs: number }): Promise<string | undefined>;
  readonly uploads: ChunkedUploads;
}

/** Options of `createBlobStore`. */
export type BlobStoreOptions = {
  /** First segments of every key: `nuget`, `npm` or `oci`. */
  readonly prefix: string;
  /** Returns unique names for generations, staged objects and parts. */
  readonly random?: () => string;
  /** Number of uploads whose hash state stays in memory (about 500 bytes each). Default 1,024. */
  readonly rememberedUploadsMax?: number;
  /** Stores small blobs in rows instead of objects; default: all blobs are objects. */
  readonly small?: SmallBlobs;
};

/** Creates a blob store on an object store. */
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
