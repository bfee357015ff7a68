import type { CatalogLog, CatalogWriter } from "@sealhouse/nuget-protocol";
import type { OpenWrites } from "../orm/first-write.ts";
import type { QueryPort } from "../raw/query-port.ts";

/** Reads through the port; whatever changes more than one row goes through `writes`. */
export function createCatalogLog(
  _port: QueryPort,
  _writes: OpenWrites,
): CatalogLog & CatalogWriter {
  return {
    head: async () => undefined,
    items: async () => [],
    find: async () => missing(),
    append: async () => missing(),
  };
}

function missing(): never {
  throw new Error("not built yet");
}
