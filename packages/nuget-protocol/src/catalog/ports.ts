/**
 * The append-only catalog that mirrors follow with a cursor, equal for all readers. Items of a name
 * that is hidden now are of the type `PackageDelete`.
 */
export interface CatalogLog {
  /** Number of items and the newest commit; `undefined` before the first. */
  head(): Promise<{ readonly count: number; readonly newest: CatalogItem } | undefined>;
  /** Items from a position on, ascending. */
  items(from: number, limit: number): Promise<readonly CatalogItem[]>;
  /** The items at these positions, ascending; those that do not exist yet are left out. */
  at(positions: readonly number[]): Promise<readonly CatalogItem[]>;
  /** The item of a commit, to the millisecond: no two share one. */
  find(commitAt: Date): Promise<CatalogLeaf | undefined>;
}

/** Appends items to the catalog. */
export interface CatalogWriter {
  /**
   * Appends new events, by id, in the given order. Positions have no gaps, and commit times rise
   * strictly, even when two instances append at once. Makes the documents of `CATALOG_GROUP` stale.
   * Leaves out hidden names: the change that hid one has appended its deletion.
   */
  append(items: readonly NewCatalogItem[]): Promise<void>;
  /** Whether the catalog has a package; false for a hidden name. The id is in lower case. */
  shows(id: string): Promise<boolean>;
}

/** An item of the catalog. */
export type CatalogItem = {
  /** 0, 1, 2 … without gaps. */
  readonly position: number;
  readonly type: "PackageDetails" | "PackageDelete";
  readonly id: string;
  /** Full form. */
  readonly version: string;
  readonly commitId: string;
  readonly commitAt: Date;
};

/** `leaf`: the fields of the leaf document other than its addresses, as JSON text. */
export type CatalogLeaf = CatalogItem & { readonly leaf: string };

/** An item to append. */
export type NewCatalogItem = Pick<CatalogLeaf, "type" | "id" | "version" | "leaf"> & {
  /** The event that caused this item alone, in decimal digits. It is appended once. */
  readonly eventId?: string;
};
