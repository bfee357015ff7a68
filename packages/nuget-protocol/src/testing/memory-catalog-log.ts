import type { CatalogLog, CatalogWriter } from "../catalog/ports.ts";

/** The append-only catalog in an array. */
export function createMemoryCatalogLog(): CatalogLog & CatalogWriter {
  return {
    head: async () => undefined,
    items: async () => [],
    find: async () => undefined,
    append: async () => missing(),
  };
}

function missing(): never {
  throw new Error("not built yet");
}
