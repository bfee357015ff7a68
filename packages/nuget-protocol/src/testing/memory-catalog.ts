import { randomUUID } from "node:crypto";
import { ascendingVersions } from "../notation/package-version.ts";
import type { PackageLifecycle, PackageLookup, PackageRecorder, PackageTotals } from "../ports.ts";
import type { DependentsLookup, PackageSearch } from "../search/ports.ts";
import type { AdvisoryLookup, AdvisoryRecorder } from "../advisories/ports.ts";
import { CATALOG_GROUP } from "../catalog/addresses.ts";
import type { CatalogLeaf, CatalogLog, CatalogWriter, NewCatalogItem } from "../catalog/ports.ts";
import type { DigestKeeper, HashableFiles, ProvenanceLookup } from "../provenance/ports.ts";
import type { RetentionPackages } from "../retention/ports.ts";
import type { SymbolCatalog } from "../symbols/ports.ts";
import { createMemoryAdvisories } from "./memory-advisories.ts";
import { createMemoryLifecycle } from "./memory-lifecycle.ts";
import { createMemorySymbols } from "./memory-symbols.ts";
import type { MemoryDocuments } from "./memory-documents.ts";
import { createMemoryDocuments } from "./memory-documents.ts";
import { createMemoryProvenance } from "./memory-provenance.ts";
import { createMemoryRecorder } from "./memory-recorder.ts";
import { createMemoryRetention } from "./memory-retention.ts";
import type { MemoryRows } from "./memory-row.ts";
import { recordOf, rowKey, storedOf, summaryOf } from "./memory-row.ts";
import { searchRows } from "./memory-search.ts";

export type MemoryCatalog = {
  readonly lookup: PackageLookup;
  readonly recorder: PackageRecorder;
  readonly lifecycle: PackageLifecycle;
  readonly search: PackageSearch & DependentsLookup;
  readonly symbols: SymbolCatalog;
  readonly advisories: AdvisoryLookup & AdvisoryRecorder;
  readonly catalog: CatalogLog & CatalogWriter;
  readonly provenance: ProvenanceLookup;
  readonly digests: DigestKeeper;
  readonly hashable: HashableFiles;
  readonly retention: RetentionPackages;
  readonly totals: PackageTotals;
  readonly documents: MemoryDocuments;
};

/** Lookup, recorder, search and documents over one `Map`, with the semantics of the contract. */
export function createMemoryCatalog(): MemoryCatalog {
  const documents = createMemoryDocuments();
  const rows: MemoryRows = {
    versions: new Map(),
    tombstones: new Map(),
    owners: new Map(),
    stale: (group) => documents.stale(group),
    bytesGone: [],
  };
  const all = () => [...rows.versions.values()];
  const of = (id: string) => all().filter((row) => row.id.toLowerCase() === id);
  const lifecycle = createMemoryLifecycle(rows);
  return {
    documents,
    recorder: createMemoryRecorder(rows),
    lifecycle,
    symbols: createMemorySymbols(rows),
    advisories: createMemoryAdvisories(documents),
    catalog: createMemoryCatalogLog({ stale: () => documents.stale(CATALOG_GROUP) }),
    ...createMemoryProvenance(rows),
    retention: createMemoryRetention(all, lifecycle),
    totals: {
      of: async (id) => {
        const records = of(id).map(recordOf);
        return {
          downloads: records.reduce((sum, { downloads }) => sum + downloads, 0),
          publishers: [...new Set(records.map(({ publishedBy }) => publishedBy))],
        };
      },
    },
    search: searchRows(all, rows.owners),
    lookup: {
      summaries: async (id) => ascendingVersions(of(id).map(summaryOf)),
      async versions(id, only) {
        const selectedRows = of(id).filter(
          (row) => only?.includes(row.version.toLowerCase()) ?? true,
        );
        return ascendingVersions(selectedRows.map(recordOf));
      },
      async find(id, version) {
        const row = rows.versions.get(rowKey(id, version));
        return row && storedOf(row);
      },
    },
  };
}

/** The append-only catalog in an array. */
export function createMemoryCatalogLog(options: {
  readonly stale: () => void;
}): CatalogLog & CatalogWriter {
  const leaves: CatalogLeaf[] = [];
  const written = new Set<string>();
  return {
    async head() {
      const newest = leaves.at(-1);
      return newest && { count: leaves.length, newest: itemOf(newest) };
    },
    items: async (from, limit) => leaves.slice(from, from + limit).map(itemOf),
    async at(positions) {
      const wantedPositions = new Set(positions);
      return leaves.filter(({ position }) => wantedPositions.has(position)).map(itemOf);
    },
    find: async (commitAt) => leaves.find((leaf) => leaf.commitAt.getTime() === commitAt.getTime()),
    shows: async () => true,
    async append(items) {
      for (const item of items) {
        if (item.eventId !== undefined && written.has(item.eventId)) continue;
        if (item.eventId !== undefined) written.add(item.eventId);
        leaves.push(leafOf(item, leaves));
        options.stale();
      }
    },
  };
}

function leafOf(item: NewCatalogItem, leaves: readonly CatalogLeaf[]): CatalogLeaf {
  const { type, id, version, leaf } = item;
  const before = leaves.at(-1)?.commitAt.getTime() ?? 0;
  const commitAt = new Date(Math.max(Date.now(), before + 1));
  const position = leaves.length;
  return { position, type, id, version, commitId: randomUUID(), commitAt, leaf };
}

function itemOf({ leaf: _leaf, ...item }: CatalogLeaf) {
  return item;
}
