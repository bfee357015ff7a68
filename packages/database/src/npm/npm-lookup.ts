import { sql } from "#kysely";
import type { Kysely, RawBuilder } from "#kysely";
import type {
  NpmLookup,
  NpmPackage,
  StoredNpmVersion,
  RegistrySignature,
} from "@sealhouse/npm-protocol";
import { isProvenance } from "@sealhouse/npm-protocol";
import { sha256Of } from "../blobs/digest.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import { accessOf, maintainersOf } from "./package-access.ts";
import { npmVersions } from "../statements/versions-of.ts";

const NAME = { name: param.text(214) };
const PACKAGE_ID = { packageId: param.whole };

export const PACKAGE = defineStatement("npm-package", NAME, (db, { name }) =>
  db
    .selectFrom("npm_packages")
    .where("name", "=", name)
    .select([
      "id",
      "name",
      "revision",
      "created_at",
      "modified_at",
      "readme",
      "readme_filename",
      "maintainers",
      "access",
    ]),
);
const PRESENT = defineStatement(
  "npm-package-present",
  NAME,
  (db, { name }) => db.selectFrom("npm_packages").where("name", "=", name).select("id"),
  { recall: "rows" },
);

/** The columns of an `NpmVersion`, of `npm_versions as v` and its `blobs as b`, besides its
 * signatures. */
export const VERSION_COLUMNS = [
  "v.version",
  "v.manifest",
  "v.abbreviated",
  "v.integrity",
  "v.shasum",
  "v.file_count",
  "v.unpacked_size",
  "v.published_at",
  "v.deprecated",
  "b.damaged_at",
] as const;

/** The signatures of a version. They are hidden until every version has one and the key is
 * published. */
export function shownSignatures(db: Kysely<Tables>): RawBuilder<string | null> {
  const published = db
    .selectFrom("npm_signing_keys")
    .where("announced_at", "is not", null)
    .select("key_id");
  return sql`case when exists ${published} then ${sql.ref("v.signatures")} end`;
}

const VERSIONS = defineStatement("npm-versions", PACKAGE_ID, (db, { packageId }) =>
  db
    .selectFrom("npm_versions as v")
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .where("v.package_id", "=", packageId)
    .select([...VERSION_COLUMNS, shownSignatures(db).as("signatures")])
    .orderBy("v.id"),
);
export const TAGS = defineStatement("npm-tags", PACKAGE_ID, (db, { packageId }) =>
  db
    .selectFrom("npm_tags as t")
    .innerJoin("npm_versions as v", "v.id", "t.version_id")
    .where("t.package_id", "=", packageId)
    .select(["t.tag", "v.version"])
    .orderBy("t.tag"),
);
const PROVENANCE = defineStatement("npm-provenance", PACKAGE_ID, (db, { packageId }) =>
  db
    .selectFrom("npm_versions as v")
    .innerJoin("npm_attestations as a", "a.version_id", "v.id")
    .where("v.package_id", "=", packageId)
    .select(["v.version", "a.predicate_type"]),
);
const TARBALL = defineStatement(
  "npm-tarball",
  { ...NAME, version: param.text(256) },
  (db, { name, version }) =>
    npmVersions(db, name)
      .innerJoin("blobs as b", "b.id", "v.blob_id")
      .where("v.version", "=", version)
      .where("b.state", "=", sql.lit("live"))
      .select(["b.storage_key", "b.size", "b.digest", "b.damaged_at", "v.integrity"]),
  { recall: "rows" },
);

export function createNpmLookup({ queries }: Pick<PortContext, "queries">): NpmLookup {
  return {
    async find(name) {
      const row = await queries.one(PACKAGE, { name });
      if (!row) return undefined;
      const key = { packageId: row.id };
      const tags = await queries.all(TAGS, key);
      const versions = await queries.all(VERSIONS, key);
      const provenance = provenanceOf(await queries.all(PROVENANCE, key));
      return packageOf(row, tags, { versions, provenance });
    },
    has: async (name) => (await queries.one(PRESENT, { name })) !== undefined,
    async tarball(name, version) {
      const row = await queries.one(TARBALL, { name, version });
      return (
        row && {
          key: row.storage_key,
          size: row.size,
          sha256: sha256Of(row.digest),
          ...(row.damaged_at && { isDamaged: true }),
          integrity: row.integrity,
        }
      );
    },
  };
}

type PackageRow = RowOf<typeof PACKAGE>;
type TagRow = RowOf<typeof TAGS>;
type VersionRow = RowOf<typeof VERSIONS>;

type VersionRows = {
  readonly versions: readonly VersionRow[];
  /** Predicate types by version. */
  readonly provenance: ReadonlyMap<string, string>;
};

function packageOf(
  row: PackageRow,
  tags: readonly TagRow[],
  { versions, provenance }: VersionRows,
): NpmPackage {
  return {
    ...summaryOf(row, tags),
    versions: versions.map((version) => versionOf(version, provenance)),
  };
}

export function summaryOf(row: PackageRow, tags: readonly TagRow[]): Omit<NpmPackage, "versions"> {
  const { readme, readme_filename: readmeFilename } = row;
  const access = accessOf(row);
  return {
    name: row.name,
    revision: row.revision,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    ...(readme !== null && { readme }),
    ...(readmeFilename !== null && { readmeFilename }),
    maintainers: maintainersOf(row),
    ...(access && { access }),
    distTags: Object.fromEntries(tags.map(({ tag, version }) => [tag, version])),
  };
}

function provenanceOf(rows: readonly RowOf<typeof PROVENANCE>[]): ReadonlyMap<string, string> {
  return new Map(
    rows
      .map((row) => [row.version, row.predicate_type] as const)
      .filter(([, predicateType]) => isProvenance({ predicateType })),
  );
}

export function versionOf(
  row: VersionRow,
  provenances?: VersionRows["provenance"],
): StoredNpmVersion {
  const { version, deprecated, signatures } = row;
  const provenance = provenances?.get(version);
  return {
    version,
    manifest: row.manifest,
    abbreviated: row.abbreviated,
    integrity: row.integrity,
    shasum: row.shasum,
    fileCount: row.file_count,
    unpackedSize: row.unpacked_size,
    publishedAt: row.published_at,
    ...(deprecated !== null && { deprecated }),
    ...(signatures !== null && {
      signatures: JSON.parse(signatures) as readonly RegistrySignature[],
    }),
    ...(provenance !== undefined && { provenance }),
    ...(row.damaged_at && { isDamaged: true }),
  };
}
