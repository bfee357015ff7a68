import type { RetentionPackage, RetentionPackages } from "@sealhouse/nuget-protocol";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { flagOf, textOf, timeOf } from "../raw/row.ts";

const CANDIDATES = `v.package_id = p.id and v.is_prerelease = ? and v.origin = 'Published'`;
const PAGE: Statement = {
  name: "nuget-retention-page",
  sql: `select p.lower_id from nuget_packages p where p.lower_id > ?
    and exists (select 1 from nuget_versions v where ${CANDIDATES})
    order by p.lower_id limit ?`,
};
const VERSIONS: Statement = {
  name: "nuget-retention-versions",
  sql: `select p.lower_id, v.version, v.listed, v.published_at
    from nuget_packages p join nuget_versions v on ${CANDIDATES}
    where p.lower_id > ? and p.lower_id <= ? order by p.lower_id`,
};

/** Two statements per page: which packages, and what they have. */
export function createRetentionPackages(port: QueryPort): RetentionPackages {
  return {
    async page(after, limit) {
      const ids = (await port.all(PAGE, [after, true, limit])).map((row) =>
        textOf(row, "lower_id"),
      );
      const last = ids.at(-1);
      if (last === undefined) return [];
      const rows = await port.all(VERSIONS, [true, after, last]);
      const byId = Map.groupBy(rows, (row) => textOf(row, "lower_id"));
      return ids.map((id) => ({ id, versions: (byId.get(id) ?? []).map(versionOf) }));
    },
  };
}

function versionOf(row: Row): RetentionPackage["versions"][number] {
  return {
    version: textOf(row, "version"),
    listed: flagOf(row, "listed"),
    publishedAt: timeOf(row, "published_at"),
  };
}
