import type { SymbolCatalog } from "@sealhouse/nuget-protocol";
import type { OpenWrites } from "../orm/first-write.ts";
import type { QueryPort } from "../raw/query-port.ts";

/** Reads through the port; whatever changes more than one row goes through `writes`. */
export function createSymbolCatalog(_port: QueryPort, _writes: OpenWrites): SymbolCatalog {
  return {
    record: async () => missing(),
    find: async () => missing(),
    findPackage: async () => missing(),
  };
}

function missing(): never {
  throw new Error("not built yet");
}
