/** A live blob as its row describes it. */
export type BlobRecord = {
  readonly id: number;
  /** `sha256:<hex>` or `sha512:<hex>`. */
  readonly digest: string;
  readonly size: number;
  /** Where its object is; another object with the same bytes has another key. */
  readonly key: string;
  /** When the object was last read and had its digest. */
  readonly verifiedAt?: Date;
  /** When the object was found missing or changed; undefined while it is sound. */
  readonly damagedAt?: Date;
};

/** `missing`: there is no object; `size`, `digest`: its bytes are not those of the row. */
export type BlobProblem = "missing" | "size" | "digest";

export type UnverifiedPage = {
  readonly before: Date;
  readonly upTo: number;
  readonly limit: number;
  readonly after?: BlobRecord;
};

/** What a check reads and writes in the database about the blobs of one protocol. */
export interface BlobRecords {
  /** Live blobs whose id is greater than `after`, in order of their ids. */
  blobs(page: { readonly limit: number; readonly after?: number }): Promise<readonly BlobRecord[]>;
  /** Blobs up to the id `upTo` that were not verified since `before`: first those that never were,
   * then those whose time is longest ago. `after`: the last one of the page before, as it was then.
   * Empty: there are no more. */
  unverified(page: UnverifiedPage): Promise<readonly BlobRecord[]>;
  /** The object was read and is sound: stores the time, and, for one that was damaged, that it is
   * sound again, with the event `blob.restored`. Nothing happens once the row has another key. */
  markVerified(blob: BlobRecord): Promise<void>;
  /** Stores that the object is not what the row says, with the event `blob.damaged` the first time.
   * From then on the blob is absent for all clients, so that a push stores it again; nothing is
   * deleted. Resolves to names of what contains it, at most 20; undefined when the row is gone, or
   * has another key by now. */
  markDamaged(blob: BlobRecord, problem: BlobProblem): Promise<readonly string[] | undefined>;
  /** Gives the row another object that was found to be sound, unless the row has another key by
   * now; with the event `blob.restored`. */
  replaceKey(blob: BlobRecord, key: string): Promise<boolean>;
}

/** Where the bytes of one protocol are. */
export interface BlobObjects {
  /** In bytes; undefined when there is no object. */
  sizeOf(key: string): Promise<number | undefined>;
  read(key: string): AsyncIterable<Uint8Array>;
  /** Whether the store can be used at all. A store that is not mounted has lost nothing. */
  isMounted(): Promise<boolean>;
  /** Other objects with the same bytes that no row names, also those that were set aside. */
  others(key: string): AsyncIterable<string>;
  /** Moves an object that was set aside back to where rows may name it; resolves to its key. */
  bringBack(key: string): Promise<string>;
}
