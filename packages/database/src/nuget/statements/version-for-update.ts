import { sha256Of } from "../../blobs/digest.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { nugetVersions } from "../../statements/versions-of.ts";

export type ListedVersion = {
  readonly id: number;
  readonly version: string;
  readonly isPrerelease: boolean;
  readonly isSemVer2: boolean;
};

/** A version as the changes to it need it. */
export type VersionForUpdate = ListedVersion & {
  readonly packageId: number;
  readonly blobId: number;
  /** Hex, of the file as received. */
  readonly sha256: string;
  readonly size: number;
  readonly listed: boolean;
  readonly origin: string;
  readonly displayId: string;
};

export type VersionNames = { readonly lowerId: string; readonly lowerVersion: string };

const NAMES = { lowerId: param.text(128), lowerVersion: param.text(256) };

const VERSION = defineStatement(
  "nuget-version-for-change",
  NAMES,
  (db, { lowerId, lowerVersion }) =>
    nugetVersions(db, lowerId)
      .innerJoin("blobs as b", "b.id", "v.blob_id")
      .where("v.lower_version", "=", lowerVersion)
      .select([
        "v.id",
        "v.package_id",
        "v.blob_id",
        "v.listed",
        "v.origin",
        "v.display_id",
        "v.version",
        "v.is_prerelease",
        "v.is_sem_ver2",
        "v.size",
        "b.digest",
      ]),
);
const TOMBSTONE = defineStatement("nuget-tombstone", NAMES, (db, { lowerId, lowerVersion }) =>
  db
    .selectFrom("nuget_tombstones")
    .where("lower_id", "=", lowerId)
    .where("lower_version", "=", lowerVersion)
    .select("deleted_at"),
);

export async function findVersion(
  { queries }: Pick<Unit, "queries">,
  { lowerId, lowerVersion }: VersionNames,
): Promise<VersionForUpdate | undefined> {
  const row = await queries.one(VERSION, { lowerId, lowerVersion });
  return (
    row && {
      id: row.id,
      packageId: row.package_id,
      blobId: row.blob_id,
      sha256: sha256Of(row.digest),
      size: row.size,
      listed: row.listed,
      origin: row.origin,
      displayId: row.display_id,
      version: row.version,
      isPrerelease: row.is_prerelease,
      isSemVer2: row.is_sem_ver2,
    }
  );
}

/** Returns the time of permanent deletion; undefined when the number is free. */
export async function deletedAt(
  { queries }: Pick<Unit, "queries">,
  { lowerId, lowerVersion }: VersionNames,
): Promise<Date | undefined> {
  return (await queries.one(TOMBSTONE, { lowerId, lowerVersion }))?.deleted_at;
}
