import type { Digests, HashName } from "./digests.ts";
import type { ByteRange } from "./object-store.ts";
import type { HashedPrefix } from "./remembered-hashing.ts";

/** Options of staging a body. */
export type StageOptions = {
  /** Additional hashes. SHA-256 is always computed. */
  readonly hashes?: readonly HashName[];
  /** Maximum bytes. A larger body rejects with `storage-too-large` and stores nothing. */
  readonly maxBytes?: number;
  /** Remembers states of the hashes near the end, for `hashedUntil`. */
  readonly remembersHashes?: true;
  readonly signal?: AbortSignal;
};

/**
 * Bytes without a final key; small ones are only in memory. Disposal deletes them unless `keep`
 * made them durable. When another process removed them before, `read` and `keep` reject with
 * `storage-staged-lost`.
 */
export interface StagedBlob extends AsyncDisposable {
  readonly size: number;
  /** Digests in lower-case hex: `sha256` and those of the options. */
  readonly digests: Digests;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * The hashes of a beginning of at most `end` bytes, to continue with other bytes. Undefined for
   * small bodies, and for an end that is far before the end of the body.
   */
  readonly hashedUntil?: (end: number) => HashedPrefix | undefined;
  /**
   * Stores the bytes at their content address, with a separate generation. A second call returns
   * the same blob.
   */
  keep(): Promise<SavedBlob>;
  /**
   * Restores a blob with the same bytes whose object is lost, without a new reference. False when
   * no such blob exists. Only on stores that detect losses.
   */
  heal?(): Promise<boolean>;
}

/** A durable blob at its content address, which is unreferenced until a row contains `key`. */
export type SavedBlob = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /**
   * The content, when it is small enough for the row. The row must store it, because no object
   * does.
   */
  readonly bytes?: Uint8Array;
  /** The stored object was missing or damaged, and this one replaced it (`withLossDetection`). */
  readonly isRestored?: true;
  /** Deletes the blob; call when no row will reference it (duplicate, refused, existing). */
  discard(): Promise<void>;
};

/** Bodies that arrive in several requests, possibly at several instances. */
export interface ChunkedUploads {
  /**
   * Appends a part at `offset`, atomically and durably. Resolves to the new offset. An uncounted
   * earlier part at the same offset is ignored.
   */
  append(
    id: string,
    offset: number,
    body: AsyncIterable<Uint8Array>,
    options?: StageOptions,
  ): Promise<number>;
  /**
   * Combines all parts of `size` bytes into a staged blob, and removes the parts. Reuses the hash
   * state when this process wrote them, and else reads them again. Rejects with
   * `storage-staged-lost` when the parts do not add up to `size` bytes.
   */
  assemble(id: string, size: number, options?: StageOptions): Promise<StagedBlob>;
  drop(id: string): Promise<void>;
}
