import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { newestIn, refreshSearchIndex } from "./search-index.ts";
import type { IndexUnit } from "./search-index.ts";

const PACKAGES_AT_ONCE = 200;

const PACKAGES = defineStatement(
  "nuget-packages-to-index",
  { after: param.whole, limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_packages")
        .where("id", ">", after)
        .select(["id", "newest_stable1", "newest_any1", "newest_stable2", "newest_any2"])
        .orderBy("id"),
      limit,
    ),
);

/** Makes the entries of every package: for databases that are older than the search index. */
export async function reindexSearch({ queries }: IndexUnit): Promise<void> {
  for (let after = 0; ;) {
    const rows = await queries.all(PACKAGES, { after, limit: PACKAGES_AT_ONCE });
    for (const row of rows) {
      after = row.id;
      await refreshSearchIndex({ queries }, row.id, { newest: newestIn(row) });
    }
    if (rows.length < PACKAGES_AT_ONCE) return;
  }
}
