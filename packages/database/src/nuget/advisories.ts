import type { AdvisoryLookup, AdvisoryRecorder } from "@sealhouse/nuget-protocol";
import type { OpenWrites } from "../orm/first-write.ts";
import type { QueryPort } from "../raw/query-port.ts";

/** Reads through the port; whatever changes more than one row goes through `writes`. */
export function createAdvisories(
  _port: QueryPort,
  _writes: OpenWrites,
): AdvisoryLookup & AdvisoryRecorder {
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
