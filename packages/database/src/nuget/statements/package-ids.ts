import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";

/** Iterates over all packages of the feed. */
export interface PackageIds {
  /** Lower-cased ids after `after`, ascending, at most `limit`; begin with "". */
  page(after: string, limit: number): Promise<readonly string[]>;
}

const PAGE = defineStatement(
  "nuget-package-ids",
  { after: param.text(128), limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_packages")
        .where("lower_id", ">", after)
        .select("lower_id")
        .orderBy("lower_id"),
      limit,
    ),
);

export function createPackageIds(queries: Queries): PackageIds {
  return {
    page: async (after, limit) =>
      (await queries.all(PAGE, { after, limit })).map((row) => row.lower_id),
  };
}
