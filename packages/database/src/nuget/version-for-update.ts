import type { Unit } from "../transactions/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { flagOf, numberOf, textOf, timeOf } from "../raw/row.ts";
import { sha256Of } from "../blobs/digest.ts";
import type { ListedVersion } from "./newest-versions.ts";

/** A version as the changes to it need it. */
export type VersionForUpdate = ListedVersion & {
  readonly packageId: number;
  readonly blobId: number;
  /** Hex, of the file as received. */
  readonly sha256: string;
  readonly size: number;
  readonly listed: boolean;
  readonly displayId: string;
};

export type VersionNames = { readonly lowerId: string; readonly lowerVersion: string };

const VERSION: Statement = {
  name: "nuget-version-for-change",
  sql: `select v.id, v.package_id, v.blob_id, v.listed, v.display_id, v.version, v.is_prerelease,
      v.is_sem_ver2, v.size, b.digest
    from nuget_packages p join nuget_versions v on v.package_id = p.id
    join blobs b on b.id = v.blob_id
    where p.lower_id = ? and v.lower_version = ?`,
};
const TOMBSTONE: Statement = {
  name: "nuget-tombstone",
  sql: "select deleted_at from nuget_tombstones where lower_id = ? and lower_version = ?",
};

export async function findVersion(
  { read }: Unit,
  { lowerId, lowerVersion }: VersionNames,
): Promise<VersionForUpdate | undefined> {
  const [row] = await read(VERSION, [lowerId, lowerVersion]);
  return row && versionForUpdateOf(row);
}

/** Returns the time of permanent deletion; undefined when the number is free. */
export async function deletedAt(
  { read }: Unit,
  { lowerId, lowerVersion }: VersionNames,
): Promise<Date | undefined> {
  const [row] = await read(TOMBSTONE, [lowerId, lowerVersion]);
  return row && timeOf(row, "deleted_at");
}

function versionForUpdateOf(row: Row): VersionForUpdate {
  return {
    id: numberOf(row, "id"),
    packageId: numberOf(row, "package_id"),
    blobId: numberOf(row, "blob_id"),
    sha256: sha256Of(textOf(row, "digest")),
    size: numberOf(row, "size"),
    listed: flagOf(row, "listed"),
    displayId: textOf(row, "display_id"),
    version: textOf(row, "version"),
    isPrerelease: flagOf(row, "is_prerelease"),
    isSemVer2: flagOf(row, "is_sem_ver2"),
  };
}
