import { randomBytes } from "node:crypto";
import { createChunkedUploads } from "./chunked-uploads.ts";
import type { Digests, HashName } from "./digests.ts";
import type { ByteRange, ObjectStore, ReadOptions } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import type { SmallBlobs } from "./small-blobs.ts";
import { bytesInRow, isInRow } from "./small-blobs.ts";
import { stageBody } from "./staging.ts";

export type StageOptions = {
  /** Hashed beside SHA-256, which is always computed, in the same pass. */
  readonly hashes?: readonly HashName[];
  /** More bytes reject with a `StorageError` of code `storage-too-large`; nothing stays. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

/** Bytes that have no name yet; small ones are only in memory. Disposing throws them away unless
 * kept, which makes them durable. */
export interface StagedBlob extends AsyncDisposable {
  readonly size: number;
  /** Lower-case hex; `sha256` always, the others as asked for. */
  readonly digests: Digests;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Puts the bytes at their content address, under a generation of their own. Asked twice, it
   * answers the same blob. */
  keep(): Promise<KeptBlob>;
  /** Brings a blob of the same bytes back whose object is lost, without naming anything new. False
   * when no such blob lost its object. Only where losses are detected. */
  heal?(): Promise<boolean>;
}

/** At its content address, but nothing until a database row names `key`. */
export type KeptBlob = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** All of them, when they are so few that the row that names `key` has to keep them: then nothing
   * is stored yet. */
  readonly bytes?: Uint8Array;
  /** For bytes that were not named after all (duplicate, refused, already there). */
  discard(): Promise<void>;
};

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

/** Bodies that arrive in several requests, possibly at several instances. */
export interface ChunkedUploads {
  /** Adds a part at `offset`, whole or not at all, durable. Resolves to the new offset. A part that
   * was added at the same offset before, but never counted, does no harm. */
  append(
    id: string,
    offset: number,
    body: AsyncIterable<Uint8Array>,
    options?: StageOptions,
  ): Promise<number>;
  /** All parts, `size` bytes together, as one staged blob; the parts are gone afterwards. The hash
   * state of the parts is reused when this process wrote them, else they are read again. Rejects
   * with `not-found` when the parts there are do not make `size` bytes. */
  assemble(id: string, size: number, options?: StageOptions): Promise<StagedBlob>;
  drop(id: string): Promise<void>;
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
