import type { PackageLifecycle } from "@sealhouse/nuget-protocol";
import type { OpenWrites } from "../orm/first-write.ts";
import type { QueryPort } from "../raw/query-port.ts";

/** Reads through the port; whatever changes more than one row goes through `writes`. */
export function createPackageLifecycle(_port: QueryPort, _writes: OpenWrites): PackageLifecycle {
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
