import { randomUUID } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { sql } from "#kysely";
import { lowerId } from "@sealhouse/nuget-protocol";
import type { NewCatalogItem } from "@sealhouse/nuget-protocol";
import { eventIdOf } from "../../events/event-rows.ts";
import { batches } from "../../raw/batches.ts";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import { restrictedNames } from "../../visibility/hidden-names.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";

/** Items between two turns of other work. */
const TURN = 100;

const LAST = defineStatement("nuget-catalog-last", {}, (db, _given, own) =>
  own.limit(
    db
      .selectFrom("nuget_catalog_items")
      .orderBy("position", "desc")
      .select(["position", "commit_at"]),
    sql.lit(1),
  ),
);
const KNOWN = defineStatement("nuget-catalog-known", { eventId: param.whole }, (db, { eventId }) =>
  db.selectFrom("nuget_catalog_items").where("event_id", "=", eventId).select("position"),
);
const APPEND = defineStatement(
  "nuget-catalog-append",
  {
    position: param.whole,
    eventId: param.whole,
    type: param.text(32),
    displayId: param.text(128),
    version: param.text(256),
    commitId: param.text(36),
    commitAt: param.time,
    leaf: param.longText,
  },
  (db, parameters) => db.insertInto("nuget_catalog_items").values(inColumns(parameters)),
);

/**
 * Appends to the catalog, in a transaction that has made `CATALOG_GROUP` stale. Leaves out events
 * that are written already, and hidden names.
 */
export async function appendItems(
  changes: Pick<Changes, "now">,
  { queries }: Pick<Unit, "queries">,
  items: readonly NewCatalogItem[],
): Promise<void> {
  const idOf = ({ id }: NewCatalogItem) => lowerId(id);
  const hidden = await restrictedNames(queries, "nuget", items.map(idOf));
  await writeItems(
    changes,
    { queries },
    items.filter((item) => !hidden.has(idOf(item))),
  );
}

/** Appends items of any name, in a transaction that has made `CATALOG_GROUP` stale. */
export async function writeItems(
  changes: Pick<Changes, "now">,
  { queries }: Pick<Unit, "queries">,
  items: readonly NewCatalogItem[],
): Promise<void> {
  const last = await queries.one(LAST, {});
  let position = last?.position ?? -1;
  let timeMs = last?.commit_at.getTime() ?? 0;
  for (const some of batches(items, TURN)) {
    for (const { eventId: text, type, id: displayId, version, leaf } of some) {
      const cause = text === undefined ? undefined : eventIdOf(text);
      if (text !== undefined && cause === undefined) {
        throw new TypeError(`"${text}" is not an event id.`);
      }
      if (cause !== undefined && (await queries.one(KNOWN, { eventId: cause }))) continue;
      position += 1;
      timeMs = Math.max(changes.now().getTime(), timeMs + 1);
      const commit = { position, commitId: randomUUID(), commitAt: new Date(timeMs) };
      const eventId = cause ?? -position - 1;
      await queries.run(APPEND, { ...commit, eventId, type, displayId, version, leaf });
    }
    // SQLite answers at once; others must get their turn in between.
    if (items.length > TURN) await yieldToEventLoop();
  }
}
