import type { PackageLifecycle } from "../ports.ts";

/** What becomes of versions later, over the rows of the memory catalog. */
export function createMemoryLifecycle(): PackageLifecycle {
  return {
    delete: async () => missing(),
    deprecate: async () => missing(),
    tombstones: async () => missing(),
    allowReuse: async () => missing(),
  };
}

function missing(): never {
  throw new Error("not built yet");
}
