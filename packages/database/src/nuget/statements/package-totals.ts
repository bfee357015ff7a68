import type { PackageTotals } from "@sealhouse/nuget-protocol";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import { listedOwners } from "../../ownership/listed-publisher.ts";

const TOTALS = defineStatement("nuget-totals", { id: param.text(128) }, (db, { id }) =>
  db.selectFrom("nuget_packages").where("lower_id", "=", id).select(["downloads", "owners"]),
);

export function createPackageTotals(queries: Queries): PackageTotals {
  return {
    async of(id) {
      const row = await queries.one(TOTALS, { id });
      if (!row) return { downloads: 0, publishers: [] };
      return {
        downloads: row.downloads,
        publishers: listedOwners(row.owners),
      };
    },
  };
}
