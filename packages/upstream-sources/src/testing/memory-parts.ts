import { tmpdir } from "node:os";
import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { SOURCE_DEFAULTS } from "../sources/package-source.ts";
import type { PackageSource } from "../sources/package-source.ts";
import type { MirrorParts } from "../mirror/mirror.ts";
import { createMemoryMirrorPorts } from "./memory-mirror-ports.ts";

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
  /** Failures that the mirror reported. */
  readonly failures: string[];
};

/** Everything a mirror needs, in memory. `onStale` gets the groups of changed documents; `own` are
 * names that are published here, such as `nuget/acme`. */
export function memoryParts(options: {
  readonly sources: readonly PackageSource[];
  readonly own?: readonly string[];
  readonly now?: () => Date;
  readonly onStale?: (group: string) => void;
  readonly isOffline?: boolean;
  /** Whether a name without an origin was published here. */
  readonly isPublished?: (name: string) => Promise<boolean>;
}): MemoryParts {
  const { sources, own = [], now = () => new Date(), onStale = () => undefined } = options;
  const { isPublished = async () => false } = options;
  const failures: string[] = [];
  const { documents, origins } = createMemoryMirrorPorts({ own, now });
  return {
    registryId: "test",
    sources: { current: async () => sources },
    documents: {
      ...documents,
      async put(key, kept, staleGroups, claim) {
        await documents.put(key, kept, staleGroups, claim);
        for (const group of staleGroups) onStale(group);
      },
    },
    origins: {
      ...origins,
      async find(protocol, name) {
        const found = await origins.find(protocol, name);
        if (found) return found;
        return (await isPublished(name)) ? { origin: "own", since: new Date(0) } : undefined;
      },
    },
    leases: createMemoryLeases(() => now().getTime()),
    openFetch: () => (url, init) => fetch(url, init),
    folder: tmpdir(),
    isOffline: options.isOffline ?? false,
    now,
    onFailure: ({ source, error }) => failures.push(`${source}: ${String(error)}`),
    failures,
  };
}
