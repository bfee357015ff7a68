/** The release, target and package of a lent key. */
export type LentPlace = {
  /** Id of the release. */
  readonly release: string;
  /** Name of the target. */
  readonly target: string;
  /** Package that the target gave the key for; empty: what the pipeline lent. */
  readonly name: string;
};

/** A lent key as a row. */
export type LentKeyRow = {
  /** Encrypted. */
  readonly sealed: Uint8Array;
  readonly expiresAt: Date;
};

/** Rows of lent keys. The end of a release drops its keys; a time that is over drops a key. */
export interface LentKeyRows {
  /** Undefined when the key is absent or has expired. */
  find(place: LentPlace): Promise<LentKeyRow | undefined>;
  put(place: LentPlace, key: LentKeyRow): Promise<void>;
  drop(place: LentPlace): Promise<void>;
}
