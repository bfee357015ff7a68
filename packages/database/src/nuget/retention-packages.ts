import { sql } from "#kysely";
import type { RetentionPackage, RetentionPackages } from "@sealhouse/nuget-protocol";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";

const PAGE = defineStatement(
  "nuget-retention-page",
  { after: param.text(128), limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_packages as p")
        .where("p.lower_id", ">", after)
        .where((row) =>
          row.exists(
            row
              .selectFrom("nuget_versions as v")
              .whereRef("v.package_id", "=", "p.id")
              .where("v.is_prerelease", "=", own.yes)
              .where("v.origin", "=", sql.lit("Published"))
              .select("v.id"),
          ),
        )
        .select("p.lower_id")
        .orderBy("p.lower_id"),
      limit,
    ),
);
const VERSIONS = defineStatement(
  "nuget-retention-versions",
  { after: param.text(128), last: param.text(128) },
  (db, { after, last }, own) =>
    db
      .selectFrom("nuget_packages as p")
      .innerJoin("nuget_versions as v", "v.package_id", "p.id")
      .where("v.is_prerelease", "=", own.yes)
      .where("v.origin", "=", sql.lit("Published"))
      .where("p.lower_id", ">", after)
      .where("p.lower_id", "<=", last)
      .select(["p.lower_id", "v.version", "v.listed", "v.published_at"])
      .orderBy("p.lower_id"),
);

/** Two statements per page: which packages, and what they have. */
export function createRetentionPackages(queries: Queries): RetentionPackages {
  return {
    async page(after, limit) {
      const ids = (await queries.all(PAGE, { after, limit })).map((row) => row.lower_id);
      const last = ids.at(-1);
      if (last === undefined) return [];
      const rows = await queries.all(VERSIONS, { after, last });
      const byId = Map.groupBy(rows, (row) => row.lower_id);
      return ids.map((id) => ({ id, versions: (byId.get(id) ?? []).map(versionOf) }));
    },
  };
}

function versionOf(row: RowOf<typeof VERSIONS>): RetentionPackage["versions"][number] {
  return { version: row.version, listed: row.listed, publishedAt: row.published_at };
}
