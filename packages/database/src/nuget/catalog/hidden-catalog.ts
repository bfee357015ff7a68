import { deleteItem, lowerVersion } from "@sealhouse/nuget-protocol";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { writeItems } from "./append-catalog.ts";
import { nugetVersions } from "../../statements/versions-of.ts";

const PACKAGE = { id: param.text(128) };

const SPELLINGS = defineStatement("nuget-catalog-spellings", PACKAGE, (db, { id }) =>
  db
    .selectFrom("nuget_packages")
    .where("lower_id", "=", id)
    .select("display_id")
    .union(nugetVersions(db, id).select("v.display_id"))
    .union(db.selectFrom("nuget_tombstones").where("lower_id", "=", id).select("display_id")),
);
const OF_PACKAGE = defineStatement(
  "nuget-catalog-of-package",
  { spellings: param.texts },
  (db, { spellings }, own) =>
    db
      .selectFrom("nuget_catalog_items")
      .where("display_id", "in", own.textsIn(spellings))
      .select(["type", "display_id", "version"])
      .orderBy("position"),
);
type Row = RowOf<typeof OF_PACKAGE>;

/**
 * Hides the versions of a package from the readers of the catalog, in the transaction that hides
 * its name. Each version whose newest item is not a deletion gets one.
 */
export async function appendHidden(
  changes: Pick<Changes, "now">,
  unit: Pick<Unit, "queries">,
  id: string,
): Promise<void> {
  const at = changes.now();
  const items = (await shownItems(unit.queries, id)).map((row) =>
    deleteItem({ id: row.display_id, version: row.version }, at),
  );
  await writeItems(changes, unit, items);
}

/** The newest item of each version, without deletions. */
async function shownItems(queries: Queries, id: string): Promise<readonly Row[]> {
  const spellings = (await queries.all(SPELLINGS, { id })).map(({ display_id: text }) => text);
  const newestItems = new Map<string, Row>();
  for (const row of await queries.all(OF_PACKAGE, { spellings })) {
    newestItems.set(lowerVersion(row.version) ?? row.version, row);
  }
  return [...newestItems.values()].filter(({ type }) => type !== "PackageDelete");
}
