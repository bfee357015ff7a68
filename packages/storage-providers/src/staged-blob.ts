import type { Digests, HashName } from "./digests.ts";
import type { ByteRange } from "./object-store.ts";

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
   * with `storage-not-found` when the parts there are do not make `size` bytes. */
  assemble(id: string, size: number, options?: StageOptions): Promise<StagedBlob>;
  drop(id: string): Promise<void>;
}
