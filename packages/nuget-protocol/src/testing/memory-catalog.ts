import { documentGroup } from "../document-key.ts";
import { compareVersionTexts } from "../package-version.ts";
import type { PackageLifecycle, PackageLookup, PackageRecorder, StoredPackage } from "../ports.ts";
import type { DependentsLookup, PackageSearch } from "../search/ports.ts";
import type { AdvisoryLookup, AdvisoryRecorder } from "../advisories/ports.ts";
import type { CatalogLog, CatalogWriter } from "../catalog/ports.ts";
import type { SymbolCatalog } from "../symbols/ports.ts";
import { createMemoryAdvisories } from "./memory-advisories.ts";
import { createMemoryCatalogLog } from "./memory-catalog-log.ts";
import { createMemoryLifecycle } from "./memory-lifecycle.ts";
import { createMemorySymbols } from "./memory-symbols.ts";
import type { MemoryDocuments } from "./memory-documents.ts";
import { createMemoryDocuments } from "./memory-documents.ts";
import type { Row } from "./memory-row.ts";
import { recordOf } from "./memory-row.ts";
import { searchRows } from "./memory-search.ts";

export type MemoryCatalog = {
  readonly lookup: PackageLookup;
  readonly recorder: PackageRecorder;
  readonly lifecycle: PackageLifecycle;
  readonly search: PackageSearch & DependentsLookup;
  readonly symbols: SymbolCatalog;
  readonly advisories: AdvisoryLookup & AdvisoryRecorder;
  readonly catalog: CatalogLog & CatalogWriter;
  readonly documents: MemoryDocuments;
};

/** Look-up, recorder, search and documents over one `Map`, with the semantics of the contract. */
export function createMemoryCatalog(): MemoryCatalog {
  const rows = new Map<string, Row>();
  const documents = createMemoryDocuments();
  return {
    documents,
    lifecycle: createMemoryLifecycle(),
    symbols: createMemorySymbols(),
    advisories: createMemoryAdvisories(),
    catalog: createMemoryCatalogLog(),
    search: {
      ...searchRows(() => [...rows.values()]),
      dependents: async () => ({ totalHits: 0, packages: [] }),
    },
    lookup: {
      async versions(id) {
        const found = [...rows.values()].filter((row) => row.id.toLowerCase() === id);
        return found.map(recordOf).toSorted((a, b) => compareVersionTexts(a.version, b.version));
      },
      async find(id, version) {
        const row = rows.get(keyOf(id, version));
        return row && storedOf(row);
      },
    },
    recorder: {
      async record(version, caller) {
        const key = keyOf(version.id, version.version);
        if (rows.has(key)) return { status: "duplicate" };
        const twin = [...rows.values()].find((row) => row.blob.sha256 === version.blob.sha256);
        rows.set(key, {
          ...version,
          ...(twin && { blob: twin.blob }),
          listed: version.listed ?? true,
          origin: version.origin ?? "Published",
          publishedBy: caller.actor,
          size: version.blob.size,
          downloads: 0,
        });
        documents.stale(documentGroup(version.id));
        return { status: "recorded", surplus: twin !== undefined, replaced: false };
      },
      async setListed(id, version, listed) {
        const row = rows.get(keyOf(id, version));
        if (!row) return "absent";
        if (row.listed === listed) return "unchanged";
        rows.set(keyOf(id, version), { ...row, listed });
        documents.stale(documentGroup(id));
        return "changed";
      },
    },
  };
}

function storedOf({ id, version, nuspec, blob, seal }: Row): StoredPackage {
  return { id, version, nuspec, blob, ...(seal && { seal }) };
}

function keyOf(id: string, version: string): string {
  return `${id.toLowerCase()}/${version.toLowerCase()}`;
}
