/** A rendered response body with its compressed forms (ARCHITECTURE.md: once per change). */
export type StoredDocument = {
  /** Strong entity tag of the identity form, without quotes. */
  readonly etag: string;
  readonly contentType: string;
  readonly modifiedAt: Date;
  readonly identity: Uint8Array;
  readonly gzip?: Uint8Array;
  readonly zstd?: Uint8Array;
};

/**
 * Store of rendered documents. A *group* is the set of documents that one change invalidates (one
 * package, one repository). Every change increments the revision of its group and deletes the
 * documents of the group, in the transaction of the change.
 */
export interface DocumentStore {
  /** Reads a document with one prepared query. Undefined if it is not stored. */
  read(key: string): Promise<StoredDocument | undefined>;
  /** Returns the current revision of the group; 0 for a group that never changed. */
  revision(group: string): Promise<number>;
  /** Stores a document rendered from data that was read after `revision`. Does nothing if the
   * revision has changed since, so that a slow renderer cannot restore an old state. */
  keep(entry: {
    readonly key: string;
    readonly group: string;
    readonly revision: number;
    readonly document: StoredDocument;
  }): Promise<void>;
  /** Whether the running request may share a rendering in progress with others. Default: it may. A
   * request that may not gets its own rendering. */
  sharesRenderings?(): boolean;
}
