import type { NewPackage, Origin, PackageRecord } from "../ports.ts";

/** One version of the memory catalog. */
export type Row = NewPackage & {
  readonly listed: boolean;
  readonly downloads: number;
  readonly size: number;
  readonly origin: Origin;
  readonly publishedBy: string;
};

export function recordOf(row: Row): PackageRecord {
  const { id, version, fullVersion, isPrerelease, isSemVer2, listed, publishedAt } = row;
  const { downloads, size, origin, publishedBy, deprecation, details } = row;
  const shown = { id, version, fullVersion, isPrerelease, isSemVer2, listed, publishedAt };
  const kept = { downloads, size, origin, publishedBy, details };
  return { ...shown, ...kept, ...(deprecation && { deprecation }) };
}
