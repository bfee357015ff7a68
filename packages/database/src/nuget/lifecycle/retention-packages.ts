import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import { parseDetails } from "@sealhouse/nuget-protocol";
import type {
  RetentionDependents,
  RetentionPackage,
  RetentionPackages,
  RetentionVersion,
} from "@sealhouse/nuget-protocol";
import type { PortContext } from "../../port-context.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import { textList } from "../../statements/text-list.ts";
import type { Changes } from "../../transactions/changes.ts";
import { deleteVersion, namesOf } from "./package-lifecycle.ts";

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
        .select(["p.id", "p.lower_id"])
        .orderBy("p.lower_id"),
      limit,
    ),
);
const VERSIONS = defineStatement(
  "nuget-retention-versions",
  { packages: param.wholes },
  (db, { packages }, own) =>
    db
      .selectFrom("nuget_versions as v")
      .where("v.package_id", "in", own.wholesIn(packages))
      .select([
        "v.package_id",
        "v.version",
        "v.is_prerelease",
        "v.origin",
        "v.listed",
        "v.published_at",
        "v.downloaded_at",
      ]),
);
const DEPENDENTS = defineStatement(
  "nuget-retention-dependents",
  { after: param.whole, limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_versions as v")
        .where("v.id", ">", after)
        .select(["v.id", "v.dependency_ids"])
        .orderBy("v.id"),
      limit,
    ),
);
const DEPENDENCIES = defineStatement(
  "nuget-retention-dependencies",
  { versions: param.wholes },
  (db, { versions }, own) =>
    db
      .selectFrom("nuget_versions as v")
      .where("v.id", "in", own.wholesIn(versions))
      .select(["v.display_id", "v.version", "v.details"]),
);
const OTHER = defineStatement(
  "nuget-retention-other-version",
  { packageId: param.whole, id: param.whole, limit: param.whole },
  (db, { packageId, id, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_versions as v")
        .where("v.package_id", "=", packageId)
        .where("v.id", "<>", id)
        .select("v.id")
        .orderBy("v.id"),
      limit,
    ),
);
const DOWNLOADED = defineStatement(
  "nuget-retention-downloaded",
  { id: param.whole },
  (db, { id }) => db.selectFrom("nuget_versions").where("id", "=", id).select("downloaded_at"),
);

/** Two statements per page: which packages, and what they have. */
export function createRetentionPackages({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): RetentionPackages {
  return {
    async page(after, limit) {
      const packages = await queries.all(PAGE, { after, limit });
      if (packages.length === 0) return [];
      const rows = await queries.all(VERSIONS, { packages: packages.map(({ id }) => id) });
      const byPackage = Map.groupBy(rows, (row) => row.package_id);
      return packages.map((row): RetentionPackage => ({
        id: row.lower_id,
        versions: (byPackage.get(row.id) ?? []).map(versionOf),
      }));
    },
    dependents: (ids, page) => dependents(queries, ids, page),
    delete: (id, seen, caller) => deleteAsSeen(changes, { id, seen }, caller),
  };
}

function versionOf(row: RowOf<typeof VERSIONS>): RetentionVersion {
  return {
    version: row.version,
    isPublishedPrerelease: row.is_prerelease && row.origin === "Published",
    listed: row.listed,
    publishedAt: row.published_at,
    ...(row.downloaded_at && { downloadedAt: row.downloaded_at }),
  };
}

async function dependents(
  queries: Queries,
  ids: ReadonlySet<string>,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<RetentionDependents> {
  const page = await queries.all(DEPENDENTS, { after, limit });
  const last = page.at(-1)?.id;
  const versions = page
    .filter(
      (row) =>
        row.dependency_ids === null || textList(row.dependency_ids).some((id) => ids.has(id)),
    )
    .map(({ id }) => id);
  const rows = versions.length === 0 ? [] : await queries.all(DEPENDENCIES, { versions });
  return {
    dependents: rows.map((row) => ({
      id: row.display_id,
      version: row.version,
      dependencies: parseDetails(row).dependencyGroups.flatMap((group) => group.dependencies),
    })),
    ...(page.length === limit && last !== undefined && { next: last }),
  };
}

async function deleteAsSeen(
  changes: Changes,
  {
    id,
    seen,
  }: { readonly id: string; readonly seen: Pick<RetentionVersion, "version" | "downloadedAt"> },
  caller: Caller,
): Promise<"deleted" | "absent" | "kept"> {
  return deleteVersion(changes, namesOf(id, seen.version), caller, async ({ queries }, version) => {
    const row = await queries.one(DOWNLOADED, { id: version.id });
    if (row?.downloaded_at?.getTime() !== seen.downloadedAt?.getTime()) return false;
    return (await queries.one(OTHER, { ...version, limit: 1 })) !== undefined;
  });
}
