import type { PackageTotals } from "@sealhouse/nuget-protocol";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";

const TOTALS: Statement = {
  name: "nuget-totals",
  sql: `select v.published_by, cast(sum(v.downloads) as bigint) as downloads
    from nuget_packages p join nuget_versions v on v.package_id = p.id
    where p.lower_id = ? group by v.published_by order by min(v.id)`,
};

export function createPackageTotals(port: QueryPort): PackageTotals {
  return {
    async of(id) {
      const rows = await port.all(TOTALS, [id]);
      return {
        downloads: rows.reduce((sum, row) => sum + numberOf(row, "downloads"), 0),
        publishers: rows.map((row) => textOf(row, "published_by")).filter((name) => name !== ""),
      };
    },
  };
}
