import type { ByteRange } from "./object-store.ts";

export type HashName = "sha1" | "sha256" | "sha512";

export type StageOptions = {
  /** Hashed beside SHA-256, which is always computed, in the same pass. */
  readonly hashes?: readonly HashName[];
  /** More bytes than this reject with a `StorageError` of code `too-large`; nothing stays. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

/** Bytes that are durable but have no name yet. Disposing throws them away unless they were kept. */
export interface StagedBlob extends AsyncDisposable {
  readonly size: number;
  /** Lower-case hex; `sha256` always, the others as asked for. */
  readonly digests: Readonly<{ sha256: string } & Partial<Record<HashName, string>>>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Moves the bytes to their content address, under a generation of their own. */
  keep(): Promise<KeptBlob>;
}

/** At its content address, but nothing until a database row names `key`. */
export type KeptBlob = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
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
  /** Reads a named blob. The caller knows the size from the row that names it. */
  read(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  delete(key: string): Promise<void>;
  readonly uploads: ChunkedUploads;
}

/** Bodies that arrive in several requests, possibly at several instances. */
export interface ChunkedUploads {
  /** Adds a part at `offset`, whole or not at all. Resolves to the new offset. */
  append(
    id: string,
    offset: number,
    body: AsyncIterable<Uint8Array>,
    options?: StageOptions,
  ): Promise<number>;
  /** All parts, `size` bytes together, as one staged blob; the parts are gone afterwards. The hash
   * state of the parts is reused when this process wrote them, else they are read again. */
  assemble(id: string, size: number, options?: StageOptions): Promise<StagedBlob>;
  drop(id: string): Promise<void>;
}
