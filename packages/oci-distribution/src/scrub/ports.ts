import type { Digest } from "../digest.ts";
import type { Caller } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

/** A live blob as its row says. */
export type BlobRecord = {
  readonly id: number;
  readonly digest: Digest;
  readonly size: number;
  /** Where its object is; another object with the same bytes has another key. */
  readonly key: string;
  /** When the object was last read and found to be what the digest says. */
  readonly verifiedAt?: Date;
  /** When it was found missing or changed, and has not been whole since. */
  readonly damagedAt?: Date;
};

/** `missing`: there is no object; `size`, `digest`: it has other bytes than the row says. */
export type BlobProblem = "missing" | "size" | "digest";

export type ManifestRecord = {
  readonly id: number;
  readonly repository: RepositoryName;
  readonly digest: Digest;
  readonly bytes: Uint8Array;
};

export type UnverifiedPage = {
  readonly before: Date;
  readonly upTo: number;
  readonly limit: number;
  readonly after?: BlobRecord;
};

/** What a check asks of the catalog. */
export interface BlobRecords {
  /** Live blobs whose id is greater than `after`, in order of their ids. */
  blobs(page: { readonly limit: number; readonly after?: number }): Promise<readonly BlobRecord[]>;
  /** Some of them, up to the id `upTo`, that were not verified since `before`: first those that
   * never were, then those whose time is longest ago. `after`: the last one that was seen, as it
   * was then. Empty: there are no more. */
  unverified(page: UnverifiedPage): Promise<readonly BlobRecord[]>;
  manifests(page: {
    readonly limit: number;
    readonly after?: number;
  }): Promise<readonly ManifestRecord[]>;
  /** The object was read and is whole: notes the time, and, for one that was damaged, that it is so
   * no more, with the event `blob.restored`. Nothing happens once the row has another key. */
  markVerified(blob: BlobRecord, caller: Caller): Promise<void>;
  /** Notes that the object is not what the row says, with the event `blob.damaged` the first time.
   * From then on the blob is absent for everybody, so that a push brings it anew; nothing is
   * deleted. Resolves to some of the repositories that have it; undefined when the row is gone, or
   * has another key by now. */
  markDamaged(
    blob: BlobRecord,
    problem: BlobProblem,
    caller: Caller,
  ): Promise<readonly RepositoryName[] | undefined>;
  /** Names another object that was found to be whole, unless the row has another key by now; with
   * the event `blob.restored`. */
  replaceKey(blob: BlobRecord, key: string, caller: Caller): Promise<boolean>;
}

/** Where the bytes are. */
export interface BlobObjects {
  /** In bytes; undefined when there is no object. */
  sizeOf(key: string): Promise<number | undefined>;
  read(key: string): AsyncIterable<Uint8Array>;
  /** Other objects that were stored for the same bytes and that no row names, also those that were
   * set aside. */
  others(key: string): AsyncIterable<string>;
  /** Brings an object that was set aside back to where rows may name it; resolves to its key. */
  bringBack(key: string): Promise<string>;
}
