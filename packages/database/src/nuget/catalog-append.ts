import { randomUUID } from "node:crypto";
import { CATALOG_GROUP } from "@sealhouse/nuget-protocol";
import type { NewCatalogItem } from "@sealhouse/nuget-protocol";
import { eventIdOf } from "../events/event-rows.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf, timeOf } from "../raw/row.ts";

const LAST: Statement = {
  name: "nuget-catalog-last",
  sql: "select position, commit_at from nuget_catalog_items order by position desc limit 1",
};
const KNOWN: Statement = {
  name: "nuget-catalog-known",
  sql: "select position from nuget_catalog_items where event_id = ?",
};
const APPEND: Statement = {
  name: "nuget-catalog-append",
  sql: `insert into nuget_catalog_items
    (position, event_id, type, display_id, version, commit_id, commit_at, leaf)
    values (?, ?, ?, ?, ?, ?, ?, ?)`,
};

/**
 * Appends to the catalog. The lock on the group's row serializes appends of all instances, so each
 * sees the last position and time.
 */
export async function appendToCatalog(
  changes: Changes,
  items: readonly NewCatalogItem[],
): Promise<void> {
  if (items.length === 0) return;
  await changes.transaction(async (unit) => {
    await changes.stale(unit, CATALOG_GROUP);
    const [last] = await unit.read(LAST, []);
    const end = last
      ? { position: numberOf(last, "position"), atMs: timeOf(last, "commit_at").getTime() }
      : { position: -1, atMs: 0 };
    for (const item of items) {
      const eventId = eventIdOf(item.eventId);
      if (eventId === undefined) throw new TypeError(`"${item.eventId}" is not an event id.`);
      if ((await unit.read(KNOWN, [eventId])).length > 0) continue;
      end.position += 1;
      end.atMs = Math.max(changes.now().getTime(), end.atMs + 1);
      await insert(unit, item, { ...end, eventId });
    }
  });
}

async function insert(
  { run }: Unit,
  { type, id, version, leaf }: NewCatalogItem,
  as: { readonly position: number; readonly atMs: number; readonly eventId: number },
): Promise<void> {
  const at = new Date(as.atMs);
  await run(APPEND, [as.position, as.eventId, type, id, version, randomUUID(), at, leaf]);
}
