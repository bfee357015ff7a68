import type { IdleUploads, OciPorts, OpenUploads, UploadCatalog } from "../ports.ts";
import type { MemoryAccess } from "./memory-access.ts";
import { createMemoryAccess } from "./memory-access.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";
import type { MemoryFiles } from "./memory-files.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { createMemoryUploads } from "./memory-uploads.ts";

export type MemoryOciPorts = OciPorts & {
  readonly uploads: UploadCatalog & OpenUploads & IdleUploads;
  readonly files: MemoryFiles;
  /** One line per change that a real catalog would announce. */
  readonly events: readonly string[];
  readonly counted: { readonly push: number; readonly pull: number };
};

/** All ports of a registry, in memory. Without `access` all callers have all rights. */
export function createMemoryOciPorts(
  options: {
    readonly access?: Pick<MemoryAccess, "authorize" | "tokens">;
    readonly base?: string;
    readonly now?: () => number;
  } = {},
): MemoryOciPorts {
  const { base = "http://registry.test" } = options;
  const access = options.access ?? createMemoryAccess([{ name: "anonymous", may: () => true }]);
  const { blobs, manifests, events } = createMemoryCatalog();
  const counted = { push: 0, pull: 0 };
  return {
    blobs,
    manifests,
    events,
    counted,
    uploads: createMemoryUploads(options.now),
    files: createMemoryFiles(),
    authorize: access.authorize,
    tokens: access.tokens,
    address: () => ({ base, cacheable: true }),
    count: (what) => {
      counted[what] += 1;
    },
  };
}
