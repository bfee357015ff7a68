import { tmpdir } from "node:os";
import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { SOURCE_DEFAULTS } from "../sources/package-source.ts";
import type { PackageSource } from "../sources/package-source.ts";
import type { MirrorParts } from "../mirror/mirror.ts";
import type {
  DocumentKey,
  KeptDocument,
  KeptDocuments,
  NameOrigin,
  NameOrigins,
} from "../mirror/ports.ts";

/** A source with these settings on top of the defaults, in a private network. */
export function testSource(
  protocol: PackageSource["protocol"],
  url: URL,
  {
    settings = {},
    ...fields
  }: Partial<Omit<PackageSource, "settings">> & {
    readonly settings?: Partial<PackageSource["settings"]>;
  } = {},
): PackageSource {
  return {
    name: "upstream",
    protocol,
    url,
    type: "upstream",
    priority: 0,
    strategy: "IndexAndCache",
    signaturePolicy: "Resign",
    isEnabled: true,
    from: "database",
    ...fields,
    settings: { ...SOURCE_DEFAULTS, allowPrivateNetwork: true, ...settings },
  };
}

export type MemoryParts = MirrorParts & {
  /** What the mirror reported. */
  readonly failures: string[];
  readonly origins: NameOrigins & { set(name: string, origin: NameOrigin): void };
};

/** Everything a mirror needs, in memory. `onStale` gets the groups of changed documents. */
export function memoryParts(options: {
  readonly sources: readonly PackageSource[];
  readonly now?: () => Date;
  readonly onStale?: (group: string) => void;
  readonly isOffline?: boolean;
}): MemoryParts {
  const { sources, now = () => new Date(), onStale = () => undefined } = options;
  const failures: string[] = [];
  return {
    sources: { current: async () => sources },
    documents: memoryDocuments(onStale),
    origins: memoryOrigins(now),
    leases: createMemoryLeases(() => now().getTime()),
    openFetch: () => (url, init) => fetch(url, init),
    folder: tmpdir(),
    isOffline: options.isOffline ?? false,
    now,
    onFailure: ({ source, error }) => failures.push(`${source}: ${String(error)}`),
    failures,
  };
}

function memoryDocuments(onStale: (group: string) => void): KeptDocuments {
  const rows = new Map<string, KeptDocument & { readonly bytes?: Uint8Array }>();
  const rowOf = (key: DocumentKey) => JSON.stringify(key);
  return {
    find: async (key) => rows.get(rowOf(key)),
    bytes: async (key) => rows.get(rowOf(key))?.bytes,
    async put(key, kept, staleGroups) {
      const before = rows.get(rowOf(key))?.bytes;
      rows.set(rowOf(key), { ...(before && { bytes: before }), ...kept });
      for (const group of staleGroups) onStale(group);
    },
    dropAbsent: async () => 0,
  };
}

function memoryOrigins(now: () => Date): MemoryParts["origins"] {
  const origins = new Map<string, NameOrigin>();
  return {
    set: (name, origin) => void origins.set(name, origin),
    find: async (_protocol, name) => origins.get(name),
    async claim(_protocol, name, source) {
      const origin = origins.get(name) ?? { origin: "mirrored", source, since: now() };
      origins.set(name, origin);
      return origin;
    },
  };
}
