import { sql } from "#kysely";
import { CATALOG_GROUP, deleteItem, lowerVersion } from "@sealhouse/nuget-protocol";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { writeItems } from "./append-catalog.ts";

/** Hidden names in NuGet's catalog. */
export interface HiddenCatalog {
  /**
   * Ends each hidden package in the catalog, and empties items that were written while it was
   * hidden: releases before 2026-11-27 did so. Their places stay. Returns the number of changed
   * packages.
   */
  reconcile(signal?: AbortSignal): Promise<number>;
}

const PACKAGE = { id: param.text(128) };

const NAMES = defineStatement("nuget-catalog-hidden-names", {}, (db) =>
  db
    .selectFrom("name_settings")
    .where("protocol", "=", sql.lit("nuget"))
    .where("visibility", "in", [sql.lit("private"), sql.lit("internal")])
    .select(["name_key", "changed_at"])
    .orderBy("name_key"),
);
const SINCE = defineStatement("nuget-catalog-hidden-since", PACKAGE, (db, { id }) =>
  db
    .selectFrom("name_settings")
    .where("protocol", "=", sql.lit("nuget"))
    .where("name_key", "=", id)
    .where("visibility", "in", [sql.lit("private"), sql.lit("internal")])
    .select("changed_at"),
);
const SPELLINGS = defineStatement("nuget-catalog-spellings", PACKAGE, (db, { id }) =>
  db
    .selectFrom("nuget_packages")
    .where("lower_id", "=", id)
    .select("display_id")
    .union(
      db
        .selectFrom("nuget_packages as p")
        .innerJoin("nuget_versions as v", "v.package_id", "p.id")
        .where("p.lower_id", "=", id)
        .select("v.display_id"),
    )
    .union(db.selectFrom("nuget_tombstones").where("lower_id", "=", id).select("display_id")),
);
const OF_PACKAGE = defineStatement(
  "nuget-catalog-of-package",
  { spellings: param.texts },
  (db, { spellings }, own) =>
    db
      .selectFrom("nuget_catalog_items")
      .where("display_id", "in", own.textsIn(spellings))
      .select(["position", "type", "display_id", "version", "event_id", "commit_at"])
      .orderBy("position"),
);
const EMPTY = defineStatement(
  "nuget-catalog-empty",
  { positions: param.wholes },
  (db, { positions }, own) =>
    own.byList(
      db
        .updateTable("nuget_catalog_items")
        .set({
          type: sql.lit("PackageDelete"),
          display_id: sql.lit(""),
          version: sql.lit(""),
          leaf: sql.lit("{}"),
        })
        .where("position", "in", own.wholesIn(positions)),
    ),
);

type Row = RowOf<typeof OF_PACKAGE>;

/** The work on the items of a hidden package. */
type Plan = {
  /** Items that were written while it was hidden. */
  readonly emptied: readonly number[];
  /** The newest items of the versions that get a deletion. */
  readonly ended: readonly Row[];
};

export function createHiddenCatalog({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): HiddenCatalog {
  return {
    async reconcile(signal) {
      let count = 0;
      for (const { name_key: id, changed_at: since } of await queries.all(NAMES, {})) {
        signal?.throwIfAborted();
        const { emptied, ended } = await planOf(queries, { id, since });
        if (emptied.length + ended.length === 0) continue;
        await changes.transaction(async (unit) => {
          await changes.stale(unit, CATALOG_GROUP);
          const setting = await unit.queries.one(SINCE, { id });
          if (setting) await hide(changes, unit, { id, since: setting.changed_at });
        });
        count += 1;
      }
      return count;
    },
  };
}

/**
 * Hides the versions of a package from the readers of the catalog, in the transaction that hides
 * its name. Each version whose newest item is not a deletion gets one.
 */
export async function appendHidden(
  changes: Pick<Changes, "now">,
  unit: Pick<Unit, "queries">,
  id: string,
): Promise<void> {
  await hide(changes, unit, { id });
}

async function hide(
  changes: Pick<Changes, "now">,
  { queries }: Pick<Unit, "queries">,
  hidden: { readonly id: string; readonly since?: Date },
): Promise<void> {
  const { emptied, ended } = await planOf(queries, hidden);
  if (emptied.length > 0) await queries.run(EMPTY, { positions: emptied });
  const at = changes.now();
  const items = ended.map((row) => deleteItem({ id: row.display_id, version: row.version }, at));
  await writeItems(changes, { queries }, items);
}

/** Plans for a package that is hidden since a time; undefined for one that is hidden now. */
async function planOf(
  queries: Queries,
  { id, since }: { readonly id: string; readonly since?: Date },
): Promise<Plan> {
  const spellings = (await queries.all(SPELLINGS, { id })).map(({ display_id: text }) => text);
  const emptied: number[] = [];
  const newestItems = new Map<string, Row>();
  for (const row of await queries.all(OF_PACKAGE, { spellings })) {
    // Items without an event are those of changes of the visibility.
    if (since && row.event_id >= 0 && row.commit_at > since) emptied.push(row.position);
    else newestItems.set(lowerVersion(row.version) ?? row.version, row);
  }
  const ended = [...newestItems.values()].filter(({ type }) => type !== "PackageDelete");
  return { emptied, ended };
}
