import type { Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import { newestIn, refreshSearchIndex } from "./search-index.ts";
import type { IndexUnit } from "./search-index.ts";

const PACKAGES_AT_ONCE = 200;

const PACKAGES: Statement = {
  name: "nuget-packages-to-index",
  sql: `select id, newest_stable1, newest_any1, newest_stable2, newest_any2 from nuget_packages
    where id > ? order by id limit ${PACKAGES_AT_ONCE}`,
};

/** Makes the entries of every package: for databases that are older than the search index. */
export async function reindexSearch(unit: IndexUnit): Promise<void> {
  let last = 0;
  for (;;) {
    const rows = await unit.read(PACKAGES, [last]);
    for (const row of rows) {
      last = numberOf(row, "id");
      await refreshSearchIndex(unit, last, { newest: newestIn(row) });
    }
    if (rows.length < PACKAGES_AT_ONCE) return;
  }
}
