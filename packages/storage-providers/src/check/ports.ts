/** The row of a live blob. */
export type BlobRecord = {
  readonly id: number;
  /** `sha256:<hex>` or `sha512:<hex>`. */
  readonly digest: string;
  readonly size: number;
  /** Key of the object. Another object with the same bytes has another key. */
  readonly key: string;
  /** Time of the last successful verification. */
  readonly verifiedAt?: Date;
  /** Time when the object was found missing or changed; undefined while it is intact. */
  readonly damagedAt?: Date;
};

/** `missing`: no object exists. `size`, `digest`: the object's bytes differ from the row. */
export type BlobProblem = "missing" | "size" | "digest";

/** A page of unverified blobs. */
export type UnverifiedPage = {
  readonly before: Date;
  readonly upTo: number;
  readonly limit: number;
  readonly after?: BlobRecord;
};

/** Reads and updates the rows of one protocol's blobs for a check. */
export interface BlobRecords {
  /** Live blobs whose id is greater than `after`, in order of their ids. */
  blobs(page: { readonly limit: number; readonly after?: number }): Promise<readonly BlobRecord[]>;
  /**
   * Returns blobs with ids up to `upTo` that were last verified before `before`: never verified
   * ones first, then the oldest. `after` is the last blob of the previous page with its time then.
   * Empty at the end.
   */
  unverified(page: UnverifiedPage): Promise<readonly BlobRecord[]>;
  /**
   * Stores the time of a successful verification, and ends a damage with the event `blob.restored`.
   * Does nothing once the row has another key.
   */
  markVerified(blob: BlobRecord): Promise<void>;
  /**
   * Marks a blob as damaged, the first time with the event `blob.damaged`. Clients then get 404, so
   * that a push can store the blob again; nothing is deleted. Resolves to up to 20 names of
   * packages or images that contain it; undefined when the row is deleted or has another key.
   */
  markDamaged(blob: BlobRecord, problem: BlobProblem): Promise<readonly string[] | undefined>;
  /**
   * References another, verified object, with the event `blob.restored`. False when the row has
   * another key by now.
   */
  replaceKey(blob: BlobRecord, key: string): Promise<boolean>;
}

/** The stored objects of one protocol. */
export interface BlobObjects {
  /** Resolves to the size in bytes; undefined when the object does not exist. */
  sizeOf(key: string): Promise<number | undefined>;
  read(key: string): AsyncIterable<Uint8Array>;
  /** Whether the store is mounted. Objects that an unmounted store lacks are not lost. */
  isMounted(): Promise<boolean>;
  /** Yields unreferenced objects with the same bytes, including quarantined ones. */
  others(key: string): AsyncIterable<string>;
  /** Moves an object out of quarantine, and resolves to its new key. */
  bringBack(key: string): Promise<string>;
}
