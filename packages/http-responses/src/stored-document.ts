/** A document as it goes over the wire, rendered once and kept (ARCHITECTURE.md, idea 5). */
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
 * Where rendered documents are kept. A *group* is all that one change makes stale together (one
 * package, one repository); every change of the group raises its revision and drops its documents,
 * in the transaction of the change.
 */
export interface DocumentStore {
  /** One prepared look-up. Undefined when nothing is kept, or a change dropped it. */
  read(key: string): Promise<StoredDocument | undefined>;
  /** The group's revision now; 0 for a group that never changed. */
  revision(group: string): Promise<number>;
  /** Keeps a document rendered from what was read after `revision`; does nothing when the group
   * has moved on, so that a slow renderer can never bring back an old state. */
  keep(entry: {
    readonly key: string;
    readonly group: string;
    readonly revision: number;
    readonly document: StoredDocument;
  }): Promise<void>;
}
