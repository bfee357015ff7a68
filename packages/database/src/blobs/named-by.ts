import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { TypedStatement } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";

const NAMES_MAX = sql.lit(20);

const BLOB = { blob: param.whole };

const NUGET = defineStatement("nuget-blob-named-by", BLOB, (db, { blob }, own) => {
  const versions = db
    .selectFrom("nuget_versions as v")
    .where("v.blob_id", "=", blob)
    .select(nameOf("v.display_id", "v.version"));
  const symbolPackages = db
    .selectFrom("nuget_symbol_packages as s")
    .innerJoin("nuget_versions as v", "v.id", "s.version_id")
    .where("s.blob_id", "=", blob)
    .select(nameOf("v.display_id", "v.version", "symbols"));
  const symbolFiles = db
    .selectFrom("nuget_symbol_files as f")
    .innerJoin("nuget_symbol_packages as s", "s.id", "f.symbol_package_id")
    .innerJoin("nuget_versions as v", "v.id", "s.version_id")
    .where("f.blob_id", "=", blob)
    .select(nameOf("v.display_id", "v.version", "symbols"));
  const all = versions
    .union(symbolPackages)
    .union(symbolFiles)
    .union(stagedNames(db, "nuget", blob));
  return own.limit(all.orderBy("name"), NAMES_MAX);
});
const NPM = defineStatement("npm-blob-named-by", BLOB, (db, { blob }, own) => {
  const versions = db
    .selectFrom("npm_versions as v")
    .innerJoin("npm_packages as p", "p.id", "v.package_id")
    .where("v.blob_id", "=", blob)
    .select(nameOf("p.name", "v.version"));
  return own.limit(versions.union(stagedNames(db, "npm", blob)).orderBy("name"), NAMES_MAX);
});
const OCI = defineStatement("oci-blob-named-by", BLOB, (db, { blob }, own) =>
  own.limit(
    db
      .selectFrom("oci_repository_blobs as l")
      .innerJoin("oci_repositories as r", "r.id", "l.repository_id")
      .where("l.blob_id", "=", blob)
      .select("r.name")
      .orderBy("r.name"),
    NAMES_MAX,
  ),
);

/** Queries for what contains a blob: package versions, or image repositories. */
const NAMED_BY: Readonly<Record<Protocol, TypedStatement<typeof BLOB, { readonly name: string }>>> =
  { nuget: NUGET, npm: NPM, oci: OCI };

/** At most 20 names of what contains a blob. */
export async function namesOf(
  { queries }: Pick<Unit, "queries">,
  protocol: Protocol,
  blobId: number,
): Promise<readonly string[]> {
  const rows = await queries.all(NAMED_BY[protocol], { blob: blobId });
  return rows.map(({ name }) => name);
}

function stagedNames(db: Kysely<Tables>, protocol: "nuget" | "npm", blob: Expression<number>) {
  return db
    .selectFrom("staged_versions")
    .where("protocol", "=", sql.lit(protocol))
    .where("blob_id", "=", blob)
    .select(nameOf("name", "version", "staged"));
}

/** A name, a version and an addition in brackets. */
function nameOf(name: string, version: string, addition?: string) {
  const end = addition === undefined ? sql`` : sql`, ${sql.lit(` (${addition})`)}`;
  return sql<string>`concat(${sql.ref(name)}, ' ', ${sql.ref(version)}${end})`.as("name");
}
