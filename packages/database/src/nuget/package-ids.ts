import type { QueryPort, Statement } from "../raw/query-port.ts";
import { textOf } from "../raw/row.ts";

/** Iterates over all packages of the feed. */
export interface PackageIds {
  /** Lower-cased ids after `after`, ascending, at most `limit`; begin with "". */
  page(after: string, limit: number): Promise<readonly string[]>;
}

const PAGE: Statement = {
  name: "nuget-package-ids",
  sql: "select lower_id from nuget_packages where lower_id > ? order by lower_id limit ?",
};

export function createPackageIds(port: QueryPort): PackageIds {
  return {
    page: async (after, limit) =>
      (await port.all(PAGE, [after, limit])).map((row) => textOf(row, "lower_id")),
  };
}
