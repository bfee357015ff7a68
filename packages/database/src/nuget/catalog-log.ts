import { randomUUID } from "node:crypto";
import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import { CATALOG_GROUP } from "@sealhouse/nuget-protocol";
import type {
  CatalogItem,
  CatalogLog,
  CatalogWriter,
  NewCatalogItem,
} from "@sealhouse/nuget-protocol";
import { UnexpectedRowError } from "../errors.ts";
import { eventIdOf } from "../events/event-rows.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import type { Changes } from "../transactions/changes.ts";

const ITEM = ["position", "type", "display_id", "version", "commit_id", "commit_at"] as const;

const newestFirst = (db: Kysely<Tables>) =>
  db.selectFrom("nuget_catalog_items").orderBy("position", "desc");

const NEWEST = defineStatement("nuget-catalog-newest", {}, (db, _given, own) =>
  own.limit(newestFirst(db).select(ITEM), sql.lit(1)),
);
const ITEMS = defineStatement(
  "nuget-catalog-items",
  { from: param.whole, limit: param.whole },
  (db, { from, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_catalog_items")
        .where("position", ">=", from)
        .select(ITEM)
        .orderBy("position"),
      limit,
    ),
);
const AT = defineStatement(
  "nuget-catalog-at",
  { positions: param.wholes },
  (db, { positions }, own) =>
    db
      .selectFrom("nuget_catalog_items")
      .where("position", "in", own.wholesIn(positions))
      .select(ITEM)
      .orderBy("position"),
);
const FIND = defineStatement("nuget-catalog-find", { commitAt: param.time }, (db, { commitAt }) =>
  db
    .selectFrom("nuget_catalog_items")
    .where("commit_at", "=", commitAt)
    .select([...ITEM, "leaf"]),
);
const LAST = defineStatement("nuget-catalog-last", {}, (db, _given, own) =>
  own.limit(newestFirst(db).select(["position", "commit_at"]), sql.lit(1)),
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
  (db, { position, eventId, type, displayId, version, commitId, commitAt, leaf }) =>
    db.insertInto("nuget_catalog_items").values({
      position,
      event_id: eventId,
      type,
      display_id: displayId,
      version,
      commit_id: commitId,
      commit_at: commitAt,
      leaf,
    }),
);

export function createCatalogLog({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): CatalogLog & CatalogWriter {
  return {
    async head() {
      const row = await queries.one(NEWEST, {});
      const newest = row && catalogItemOf(row);
      return newest && { count: newest.position + 1, newest };
    },
    items: async (from, limit) => (await queries.all(ITEMS, { from, limit })).map(catalogItemOf),
    at: async (positions) => (await queries.all(AT, { positions })).map(catalogItemOf),
    async find(commitAt) {
      const row = await queries.one(FIND, { commitAt });
      return row && { ...catalogItemOf(row), leaf: row.leaf };
    },
    append: (items) => append(changes, items),
  };
}

/**
 * Appends to the catalog. The lock on the group's row serializes appends of all instances, so each
 * sees the last position and time.
 */
async function append(changes: Changes, items: readonly NewCatalogItem[]): Promise<void> {
  if (items.length === 0) return;
  await changes.transaction(async (unit) => {
    const { queries } = unit;
    await changes.stale(unit, CATALOG_GROUP);
    const last = await queries.one(LAST, {});
    let position = last?.position ?? -1;
    let timeMs = last?.commit_at.getTime() ?? 0;
    for (const { eventId: id, type, id: displayId, version, leaf } of items) {
      const eventId = eventIdOf(id);
      if (eventId === undefined) throw new TypeError(`"${id}" is not an event id.`);
      if (await queries.one(KNOWN, { eventId })) continue;
      position += 1;
      timeMs = Math.max(changes.now().getTime(), timeMs + 1);
      const commit = { position, commitId: randomUUID(), commitAt: new Date(timeMs) };
      await queries.run(APPEND, { ...commit, eventId, type, displayId, version, leaf });
    }
  });
}

function catalogItemOf(row: RowOf<typeof NEWEST>): CatalogItem {
  return {
    position: row.position,
    type: typeOf(row.type),
    id: row.display_id,
    version: row.version,
    commitId: row.commit_id,
    commitAt: row.commit_at,
  };
}

function typeOf(text: string): CatalogItem["type"] {
  if (text === "PackageDetails" || text === "PackageDelete") return text;
  throw new UnexpectedRowError("type", text);
}
