import type { AdvisoryLookup, AdvisoryRecorder } from "../advisories/ports.ts";

/** Advisories in a `Map`. */
export function createMemoryAdvisories(): AdvisoryLookup & AdvisoryRecorder {
  return {
    of: async () => new Map(),
    state: async () => undefined,
    page: async () => new Map(),
    replace: async () => missing(),
    checked: async () => missing(),
    remove: async () => missing(),
    sources: async () => [],
  };
}

function missing(): never {
  throw new Error("not built yet");
}
