import type { PackageTotals } from "@sealhouse/nuget-protocol";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textListOf } from "../raw/row.ts";

const TOTALS: Statement = {
  name: "nuget-totals",
  sql: "select downloads, owners from nuget_packages where lower_id = ?",
};

export function createPackageTotals(port: QueryPort): PackageTotals {
  return {
    async of(id) {
      const row = await port.one(TOTALS, [id]);
      if (!row) return { downloads: 0, publishers: [] };
      const publishers =
        optionalTextOf(row, "owners") === undefined ? [] : textListOf(row, "owners");
      return { downloads: numberOf(row, "downloads"), publishers };
    },
  };
}
