import type { SymbolCatalog } from "../symbols/ports.ts";

/** Symbol packages in a `Map`. */
export function createMemorySymbols(): SymbolCatalog {
  return {
    record: async () => missing(),
    find: async () => missing(),
    findPackage: async () => missing(),
  };
}

function missing(): never {
  throw new Error("not built yet");
}
