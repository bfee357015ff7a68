import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import { CATALOG_GROUP, deleteItem, lowerId } from "@sealhouse/nuget-protocol";
import type {
  CatalogItem,
  CatalogLeaf,
  CatalogLog,
  CatalogWriter,
} from "@sealhouse/nuget-protocol";
import { UnexpectedRowError } from "../../errors.ts";
import type { PortContext } from "../../port-context.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Tables } from "../../statements/tables.ts";
import { restrictedNames } from "../../visibility/hidden-names.ts";
import { appendItems } from "./append-catalog.ts";

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

export function createCatalogLog({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): CatalogLog & CatalogWriter {
  const hiddenOf = (ids: readonly string[]) => restrictedNames(queries, "nuget", ids.map(lowerId));
  const shown = async (rows: readonly RowOf<typeof NEWEST>[]) => {
    const hidden = await hiddenOf(rows.map(({ display_id: id }) => id));
    return rows.map((row) => shownAs(catalogItemOf(row), hidden));
  };
  return {
    async head() {
      const [newest] = await shown(await queries.all(NEWEST, {}));
      return newest && { count: newest.position + 1, newest };
    },
    items: async (from, limit) => shown(await queries.all(ITEMS, { from, limit })),
    at: async (positions) => shown(await queries.all(AT, { positions })),
    async find(commitAt) {
      const row = await queries.one(FIND, { commitAt });
      if (!row) return undefined;
      const hidden = await hiddenOf([row.display_id]);
      return shownAs({ ...catalogItemOf(row), leaf: row.leaf }, hidden);
    },
    async append(items) {
      if (items.length === 0) return;
      await changes.transaction(async (unit) => {
        // Serializes the appends of all instances, so that each sees the last position and time.
        await changes.stale(unit, CATALOG_GROUP);
        await appendItems(changes, unit, items);
      });
    },
    shows: async (id) => !(await hiddenOf([id])).has(id),
  };
}

/** An item of a hidden name is a deletion, at its place. */
function shownAs<Item extends CatalogItem | CatalogLeaf>(
  item: Item,
  hidden: ReadonlySet<string>,
): Item {
  if (item.type === "PackageDelete" || !hidden.has(lowerId(item.id))) return item;
  const { type, leaf } = deleteItem(item, item.commitAt);
  return { ...item, type, ...("leaf" in item && { leaf }) };
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
