import { randomUUID } from "node:crypto";
import type { CatalogLeaf, CatalogLog, CatalogWriter, NewCatalogItem } from "../catalog/ports.ts";

/** The append-only catalog in an array. */
export function createMemoryCatalogLog(options: {
  readonly stale: () => void;
}): CatalogLog & CatalogWriter {
  const leaves: CatalogLeaf[] = [];
  const written = new Set<string>();
  return {
    async head() {
      const newest = leaves.at(-1);
      return newest && { count: leaves.length, newest: itemOf(newest) };
    },
    items: async (from, limit) => leaves.slice(from, from + limit).map(itemOf),
    async at(positions) {
      const wantedPositions = new Set(positions);
      return leaves.filter(({ position }) => wantedPositions.has(position)).map(itemOf);
    },
    find: async (commitAt) => leaves.find((leaf) => leaf.commitAt.getTime() === commitAt.getTime()),
    shows: async () => true,
    async append(items) {
      for (const item of items) {
        if (item.eventId !== undefined && written.has(item.eventId)) continue;
        if (item.eventId !== undefined) written.add(item.eventId);
        leaves.push(leafOf(item, leaves));
        options.stale();
      }
    },
  };
}

function leafOf(item: NewCatalogItem, leaves: readonly CatalogLeaf[]): CatalogLeaf {
  const { type, id, version, leaf } = item;
  const before = leaves.at(-1)?.commitAt.getTime() ?? 0;
  const commitAt = new Date(Math.max(Date.now(), before + 1));
  const position = leaves.length;
  return { position, type, id, version, commitId: randomUUID(), commitAt, leaf };
}

function itemOf({ leaf: _leaf, ...item }: CatalogLeaf) {
  return item;
}
