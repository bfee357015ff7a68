import type { ListedCertificate, NuGetPorts } from "../ports.ts";
import type { MemoryDocuments } from "./memory-documents.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { NO_UPSTREAM } from "../upstream/ports.ts";
import { testCaller } from "./new-package.ts";

export type MemoryNuGetPorts = {
  readonly ports: NuGetPorts;
  readonly documents: MemoryDocuments;
  readonly storedFiles: ReadonlyMap<string, Uint8Array>;
  openStages(): number;
  /** Counted events in order: `push`, `pull acme.widgets 1.0.0`. */
  readonly counted: readonly string[];
};

/**
 * All ports of the feed in memory: an empty catalog, all callers have all rights, nothing is
 * signed, links start with `https://feed.example`. Any port can be replaced.
 */
export function createMemoryNuGetPorts(
  overrides: Partial<NuGetPorts> = {},
  certificates: readonly ListedCertificate[] = [],
): MemoryNuGetPorts {
  const catalog = createMemoryCatalog();
  const memory = createMemoryFiles();
  const counted: string[] = [];
  const ports: NuGetPorts = {
    ...catalog,
    upstream: NO_UPSTREAM,
    files: memory.files,
    content: memory.content,
    sealer: { seal: async () => ({ status: "unsealed" }) },
    certificates: {
      all: async () => certificates,
      find: async (wantedFingerprint) =>
        certificates.find(({ fingerprint }) => fingerprint === wantedFingerprint),
      allRepositorySigned: async () => false,
    },
    authorize: async () => ({ status: "granted", caller: testCaller }),
    address: () => ({ base: "https://feed.example", cacheable: true }),
    count: (what, pulled) => {
      counted.push(pulled ? `${what} ${pulled.id} ${pulled.version}` : what);
    },
    ...overrides,
  };
  return {
    ports,
    documents: catalog.documents,
    storedFiles: memory.storedFiles,
    openStages: () => memory.open(),
    counted,
  };
}
