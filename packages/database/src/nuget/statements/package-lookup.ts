import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import { ascendingVersions } from "@sealhouse/nuget-protocol";
import type {
  Deprecation,
  Origin,
  PackageLookup,
  PackageRecord,
  Seal,
  StoredPackage,
  VersionSummary,
} from "@sealhouse/nuget-protocol";
import { sha256Of } from "../../blobs/digest.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Tables } from "../../statements/tables.ts";
import { nugetVersions } from "../../statements/versions-of.ts";

const SUMMARY = [
  "v.display_id",
  "v.version",
  "v.is_prerelease",
  "v.is_sem_ver2",
  "v.listed",
] as const;

/** The columns of a `PackageRecord`, of `nuget_versions as v`. */
export const RECORD = [
  ...SUMMARY,
  "v.full_version",
  "v.published_at",
  "v.downloads",
  "v.size",
  "v.origin",
  "v.published_by",
  "v.deprecation",
  "v.details",
] as const;

/** The columns of a `StoredPackage`, of `nuget_versions as v` and `blobs as b`. */
export const STORED = [
  "v.display_id",
  "v.version",
  "v.nuspec",
  "b.storage_key",
  "b.size",
  "b.digest",
  "b.damaged_at",
  "v.seal_plan",
  "v.seal_fingerprint",
  "v.seal_size",
  "v.seal_signed_at",
  "v.origin",
] as const;

const ID = { id: param.text(128) };

const versionsOf = (db: Kysely<Tables>, id: Expression<string>) => nugetVersions(db, id);

const SUMMARIES = defineStatement("nuget-summaries", ID, (db, { id }) =>
  versionsOf(db, id).select(SUMMARY),
);
const VERSIONS = defineStatement("nuget-versions", ID, (db, { id }) =>
  versionsOf(db, id).select(RECORD),
);
const SOME_VERSIONS = defineStatement(
  "nuget-some-versions",
  { ...ID, only: param.texts },
  (db, parameters, own) =>
    versionsOf(db, parameters.id)
      .select(RECORD)
      .where("v.lower_version", "in", own.textsIn(parameters.only)),
);
const FIND = defineStatement("nuget-find", { ...ID, version: param.text(256) }, (db, parameters) =>
  servedVersion(db, parameters).select(STORED),
);

/** Finds a version by its lower-case names. */
export function servedVersion(
  db: Kysely<Tables>,
  names: { readonly id: Expression<string>; readonly version: Expression<string> },
) {
  return versionsOf(db, names.id)
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .where("v.lower_version", "=", names.version)
    .where("b.state", "=", sql.lit("live"));
}

export function createPackageLookup(queries: Queries): PackageLookup {
  return {
    async summaries(id) {
      return ascendingVersions((await queries.all(SUMMARIES, { id })).map(summaryOf));
    },
    async versions(id, only) {
      const rows = only
        ? await queries.all(SOME_VERSIONS, { id, only })
        : await queries.all(VERSIONS, { id });
      return ascendingVersions(rows.map(recordOf));
    },
    async find(id, version) {
      const row = await queries.one(FIND, { id, version });
      return row && storedOf(row);
    },
  };
}

function summaryOf(row: RowOf<typeof SUMMARIES>): VersionSummary {
  return {
    id: row.display_id,
    version: row.version,
    isPrerelease: row.is_prerelease,
    isSemVer2: row.is_sem_ver2,
    listed: row.listed,
  };
}

export function recordOf(row: RowOf<typeof VERSIONS>): PackageRecord {
  return {
    ...summaryOf(row),
    fullVersion: row.full_version,
    publishedAt: row.published_at,
    downloads: row.downloads,
    size: row.size,
    origin: originOf(row.origin),
    publishedBy: row.published_by,
    ...(row.deprecation !== null && { deprecation: JSON.parse(row.deprecation) as Deprecation }),
    details: row.details,
  };
}

function originOf(text: string): Origin {
  return ORIGINS.find((origin) => origin === text) ?? "Published";
}

const ORIGINS = ["Published", "Mirrored", "Cached"] as const;

export function storedOf(row: RowOf<typeof FIND>): StoredPackage {
  const seal = sealOf(row);
  return {
    id: row.display_id,
    version: row.version,
    nuspec: row.nuspec,
    blob: {
      key: row.storage_key,
      size: row.size,
      sha256: sha256Of(row.digest),
      ...(row.damaged_at && { isDamaged: true }),
    },
    ...(seal !== undefined && { seal }),
    origin: originOf(row.origin),
  };
}

/** Returns the seal of a row; undefined when the version is not signed. */
function sealOf(row: RowOf<typeof FIND>): Seal | undefined {
  const { seal_plan: plan, seal_fingerprint: fingerprint, seal_size: size } = row;
  const signedAt = row.seal_signed_at;
  const isSealed = plan !== null && fingerprint !== null && size !== null && signedAt !== null;
  return isSealed ? { plan, fingerprint, size, signedAt } : undefined;
}
