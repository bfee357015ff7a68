import { createNuGetApp } from "@sealhouse/nuget-protocol";
import type { NuGetAppOptions, NuGetPorts, PackagePast } from "@sealhouse/nuget-protocol";
import { createMemoryDocuments, createMemoryNuGetPorts } from "@sealhouse/nuget-protocol/testing";
import type { MemoryNuGetPorts } from "@sealhouse/nuget-protocol/testing";
import type { PackageSource } from "../../sources/package-source.ts";
import { NO_RULES } from "../../policy/rule-list.ts";
import type { RuleList } from "../../policy/rule-list.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { unavailable } from "../unavailable.test.support.ts";
import { openMirror } from "../mirror.ts";
import { memoryParts } from "../../testing/memory-parts.ts";
import type { MemoryParts } from "../../testing/memory-parts.ts";
import { mirroredNuGet } from "./mirrored-nuget.ts";
import type { LocalCache } from "./files/local-cache.ts";
import type { MirroredNuGet } from "./mirrored-nuget.ts";

/** A feed in memory with sources. */
export type MirrorFeed = AsyncDisposable & {
  readonly memory: MemoryNuGetPorts;
  readonly parts: MemoryParts;
  /** Remarks about sources that the mirror reported. */
  readonly remarks: readonly string[];
  readonly mirrored: MirroredNuGet;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json(path: string): Promise<unknown>;
  bytes(path: string): Promise<Uint8Array>;
  put(nupkg: Buffer<ArrayBuffer>): Promise<Response>;
};

/** The history of a feed without own packages. */
const NO_PAST: PackagePast = {
  versions: async () => [],
  version: async () => undefined,
  kept: async () => [],
  beginning: async () => undefined,
};

export function openMirrorFeed(
  sources: readonly PackageSource[],
  options: {
    readonly now?: () => Date;
    readonly isOffline?: boolean;
    readonly own?: readonly string[];
    readonly mergeStrategy?: "LocalPreferred" | "Deduplicate" | "Union";
    readonly isAsReceived?: boolean;
    readonly rules?: RuleList;
    readonly localCache?: LocalCache;
    readonly ports?: Partial<NuGetPorts>;
    readonly app?: NuGetAppOptions;
  } = {},
): MirrorFeed {
  const { now = () => new Date(), isAsReceived = true, isOffline = false } = options;
  const { rules = NO_RULES } = options;
  const memory = createMemoryNuGetPorts(options.ports);
  const parts = memoryParts({
    sources,
    own: options.own ?? [],
    now,
    isOffline,
    onStale: (group) => memory.documents.stale(group),
  });
  const mirror = openMirror(parts);
  const { ports } = memory;
  const remarks: string[] = [];
  const { mergeStrategy } = options;
  const mirrored = mirroredNuGet({
    mirror,
    kept: parts.documents,
    ports,
    past: NO_PAST,
    caller: { actor: "system" },
    certificates: ports.certificates,
    advisories: ports.advisories,
    search: ports.search,
    upstreamSearch: mergeStrategy && { mergeStrategy, timeoutMs: 1_000 },
    includesMirrored: true,
    localCache: options.localCache,
    isAsReceived,
    packageBytesMax: undefined,
    onRemark: ({ source, text }) => remarks.push(`${source}: ${text}`),
    policy: {
      rules,
      firstSeen: createMemoryMirrorPorts({ now }).firstSeen,
      advisories: ports.advisories,
    },
    now,
  });
  const { lookup, search, upstream, past, advisories } = mirrored;
  const views = { past, documents: createMemoryDocuments() };
  const app = createNuGetApp(
    { ...ports, lookup, search, upstream, advisories, views },
    { unavailable, ...options.app },
  );
  const get = async (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { headers });
  return {
    memory,
    parts,
    remarks,
    mirrored,
    get,
    json: async (path) => (await get(path)).json(),
    bytes: async (path) => new Uint8Array(await (await get(path)).arrayBuffer()),
    put: async (body) => app.request("/api/v2/package", { method: "PUT", body }),
    [Symbol.asyncDispose]: () => mirror[Symbol.asyncDispose](),
  };
}
