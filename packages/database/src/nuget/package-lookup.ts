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
import { sha256Of } from "../blobs/digest.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import {
  bytesOf,
  flagOf,
  numberOf,
  optionalBytesOf,
  optionalTextOf,
  optionalTimeOf,
  textOf,
  timeOf,
} from "../raw/row.ts";

/** The columns of a `PackageRecord`, of `nuget_versions as v`. */
export const RECORD_COLUMNS =
  "v.display_id, v.version, v.full_version, v.is_prerelease, v.is_sem_ver2, v.listed," +
  " v.published_at, v.downloads, v.size, v.origin, v.published_by, v.deprecation, v.details";

const SUMMARIES: Statement = {
  name: "nuget-summaries",
  sql: `select v.display_id, v.version, v.is_prerelease, v.is_sem_ver2, v.listed
    from nuget_packages p join nuget_versions v on v.package_id = p.id where p.lower_id = ?`,
};
const VERSIONS: Statement = {
  name: "nuget-versions",
  sql: `select ${RECORD_COLUMNS} from nuget_packages p
    join nuget_versions v on v.package_id = p.id where p.lower_id = ?`,
};

/** The columns of a `StoredPackage`, of `nuget_versions as v` and `blobs as b`. */
export const STORED_COLUMNS =
  "v.display_id, v.version, v.nuspec, b.storage_key, b.size, b.digest, b.damaged_at," +
  " v.seal_plan, v.seal_fingerprint, v.seal_size, v.seal_signed_at";

/** One version that can be served, by its lower-cased names. */
export const SERVED_VERSION = `from nuget_packages p
    join nuget_versions v on v.package_id = p.id
    join blobs b on b.id = v.blob_id
    where p.lower_id = ? and v.lower_version = ? and b.state = 'live'`;

const FIND: Statement = {
  name: "nuget-find",
  sql: `select ${STORED_COLUMNS} ${SERVED_VERSION}`,
};

export function createPackageLookup(port: QueryPort): PackageLookup {
  return {
    summaries: async (id) => ascendingVersions((await port.all(SUMMARIES, [id])).map(summaryOf)),
    async versions(id, only) {
      const rows = only ? await someVersions(port, id, only) : await port.all(VERSIONS, [id]);
      return ascendingVersions(rows.map(recordOf));
    },
    async find(id, version) {
      const row = await port.one(FIND, [id, version]);
      return row && storedOf(row);
    },
  };
}

async function someVersions(
  port: QueryPort,
  id: string,
  only: readonly string[],
): Promise<readonly Row[]> {
  if (only.length === 0) return [];
  const sql = `${VERSIONS.sql} and v.lower_version in (${only.map(() => "?").join(", ")})`;
  return port.all({ sql }, [id, ...only]);
}

function summaryOf(row: Row): VersionSummary {
  return {
    id: textOf(row, "display_id"),
    version: textOf(row, "version"),
    isPrerelease: flagOf(row, "is_prerelease"),
    isSemVer2: flagOf(row, "is_sem_ver2"),
    listed: flagOf(row, "listed"),
  };
}

export function recordOf(row: Row): PackageRecord {
  const deprecation = optionalTextOf(row, "deprecation");
  return {
    id: textOf(row, "display_id"),
    version: textOf(row, "version"),
    fullVersion: textOf(row, "full_version"),
    isPrerelease: flagOf(row, "is_prerelease"),
    isSemVer2: flagOf(row, "is_sem_ver2"),
    listed: flagOf(row, "listed"),
    publishedAt: timeOf(row, "published_at"),
    downloads: numberOf(row, "downloads"),
    size: numberOf(row, "size"),
    origin: originOf(textOf(row, "origin")),
    publishedBy: textOf(row, "published_by"),
    ...(deprecation !== undefined && { deprecation: JSON.parse(deprecation) as Deprecation }),
    details: textOf(row, "details"),
  };
}

function originOf(text: string): Origin {
  return ORIGINS.find((origin) => origin === text) ?? "Published";
}

const ORIGINS = ["Published", "Mirrored", "Cached"] as const;

export function storedOf(row: Row): StoredPackage {
  const seal = sealOf(row);
  return {
    id: textOf(row, "display_id"),
    version: textOf(row, "version"),
    nuspec: bytesOf(row, "nuspec"),
    blob: {
      key: textOf(row, "storage_key"),
      size: numberOf(row, "size"),
      sha256: sha256Of(textOf(row, "digest")),
      ...(optionalTimeOf(row, "damaged_at") && { isDamaged: true }),
    },
    ...(seal !== undefined && { seal }),
  };
}

/** Of a row with the four seal columns; undefined when the version is not sealed. */
export function sealOf(row: Row): Seal | undefined {
  const plan = optionalBytesOf(row, "seal_plan");
  return plan === undefined
    ? undefined
    : {
        plan,
        fingerprint: textOf(row, "seal_fingerprint"),
        size: numberOf(row, "seal_size"),
        signedAt: timeOf(row, "seal_signed_at"),
      };
}
