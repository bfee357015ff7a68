import type { CatalogItem, CatalogLog, CatalogWriter } from "@sealhouse/nuget-protocol";
import { UnexpectedRowError } from "../errors.ts";
import type { Changes } from "../transactions/changes.ts";
import { batches } from "../raw/batches.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../raw/row.ts";
import { appendToCatalog } from "./catalog-append.ts";

const ITEM_COLUMNS = "position, type, display_id, version, commit_id, commit_at";

const NEWEST: Statement = {
  name: "nuget-catalog-newest",
  sql: `select ${ITEM_COLUMNS} from nuget_catalog_items order by position desc limit 1`,
};
const ITEMS: Statement = {
  name: "nuget-catalog-items",
  sql: `select ${ITEM_COLUMNS} from nuget_catalog_items
    where position >= ? order by position limit ?`,
};
const FIND: Statement = {
  name: "nuget-catalog-find",
  sql: `select ${ITEM_COLUMNS}, leaf from nuget_catalog_items where commit_at = ?`,
};

const POSITIONS_PER_QUERY = 500;

export function createCatalogLog(port: QueryPort, changes: Changes): CatalogLog & CatalogWriter {
  return {
    async head() {
      const row = await port.one(NEWEST, []);
      const newest = row && catalogItemOf(row);
      return newest && { count: newest.position + 1, newest };
    },
    items: async (from, limit) => (await port.all(ITEMS, [from, limit])).map(catalogItemOf),
    at: (positions) => itemsAt(port, positions),
    async find(commitAt) {
      const row = await port.one(FIND, [commitAt]);
      return row && { ...catalogItemOf(row), leaf: textOf(row, "leaf") };
    },
    append: (items) => appendToCatalog(changes, items),
  };
}

async function itemsAt(
  port: QueryPort,
  positions: readonly number[],
): Promise<readonly CatalogItem[]> {
  const ascending = positions.toSorted((one, other) => one - other);
  const items: CatalogItem[] = [];
  for (const some of batches(ascending, POSITIONS_PER_QUERY)) {
    const marks = some.map(() => "?").join(", ");
    const sql = `select ${ITEM_COLUMNS} from nuget_catalog_items
      where position in (${marks}) order by position`;
    for (const row of await port.all({ sql }, some)) items.push(catalogItemOf(row));
  }
  return items;
}

function catalogItemOf(row: Row): CatalogItem {
  return {
    position: numberOf(row, "position"),
    type: typeOf(textOf(row, "type")),
    id: textOf(row, "display_id"),
    version: textOf(row, "version"),
    commitId: textOf(row, "commit_id"),
    commitAt: timeOf(row, "commit_at"),
  };
}

function typeOf(text: string): CatalogItem["type"] {
  if (text === "PackageDetails" || text === "PackageDelete") return text;
  throw new UnexpectedRowError("type", text);
}
