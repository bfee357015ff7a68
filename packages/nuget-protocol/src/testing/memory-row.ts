import { documentGroup } from "../document-key.ts";
import type { NewPackage, Tombstone, VersionSummary } from "../ports.ts";
import type { Origin, PackageRecord, StoredPackage } from "../stored-package.ts";

/** One version of the memory catalog. */
export type Row = NewPackage & {
  readonly listed: boolean;
  readonly downloads: number;
  readonly size: number;
  readonly origin: Origin;
  readonly publishedBy: string;
};

/** State that the parts of the memory catalog share. */
export type MemoryRows = {
  /** By `rowKey`. */
  readonly versions: Map<string, Row>;
  readonly tombstones: Map<string, Tombstone>;
  /** By lower-cased id: all publishers. */
  readonly owners: Map<string, readonly string[]>;
  /** Drops the documents of a package. */
  readonly stale: (group: string) => void;
  /** Called with the `rowKey` of a version whose bytes went: overwritten or deleted. */
  readonly bytesGone: ((key: string) => void)[];
};

export function rowKey(id: string, version: string): string {
  return `${id.toLowerCase()}/${version.toLowerCase()}`;
}

export function staleAfter({ stale }: MemoryRows, id: string): void {
  stale(documentGroup(id));
}

export function summaryOf({ id, version, isPrerelease, isSemVer2, listed }: Row): VersionSummary {
  return { id, version, isPrerelease, isSemVer2, listed };
}

export function recordOf(row: Row): PackageRecord {
  const { id, version, fullVersion, isPrerelease, isSemVer2, listed, publishedAt } = row;
  const { downloads, size, origin, publishedBy, deprecation, details } = row;
  const shown = { id, version, fullVersion, isPrerelease, isSemVer2, listed, publishedAt };
  const storedFields = { downloads, size, origin, publishedBy, details };
  return { ...shown, ...storedFields, ...(deprecation && { deprecation }) };
}

export function storedOf({ id, version, nuspec, blob, seal, origin }: Row): StoredPackage {
  return { id, version, nuspec, blob, ...(seal && { seal }), origin };
}
