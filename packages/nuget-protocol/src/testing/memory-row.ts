import type { NewPackage, PackageRecord } from "../ports.ts";

/** One version of the memory catalog. */
export type Row = NewPackage & { readonly listed: boolean; readonly downloads: number };

export function recordOf(row: Row): PackageRecord {
  const { id, version, fullVersion, isPrerelease, isSemVer2, listed } = row;
  const { publishedAt, downloads, details } = row;
  return {
    id,
    version,
    fullVersion,
    isPrerelease,
    isSemVer2,
    listed,
    publishedAt,
    downloads,
    details,
  };
}
