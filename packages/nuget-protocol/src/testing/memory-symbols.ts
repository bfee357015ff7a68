import type { NamedBlob } from "../stored-package.ts";
import type { NewSymbolPackage, SymbolCatalog } from "../symbols/ports.ts";
import type { MemoryRows } from "./memory-row.ts";
import { rowKey } from "./memory-row.ts";

/** Symbol packages of the versions that are there. */
export function createMemorySymbols(rows: MemoryRows): SymbolCatalog {
  const packages = new Map<string, NewSymbolPackage>();
  rows.bytesGone.push((key) => void packages.delete(key));

  function collectBlobs(): ReadonlyMap<string, NamedBlob> {
    const blobs = [...packages.values()].flatMap(blobsOf);
    return new Map(blobs.map((blob) => [blob.sha256, blob]));
  }

  return {
    async record(symbols) {
      const { id, version } = symbols;
      const key = rowKey(id, version);
      if (!rows.versions.has(key)) return { status: "absent" };
      const blobsByHash = new Map(collectBlobs());
      for (const blob of blobsOf(symbols)) {
        if (!blobsByHash.has(blob.sha256)) blobsByHash.set(blob.sha256, blob);
      }
      const keptOf = (blob: NamedBlob) => blobsByHash.get(blob.sha256) ?? blob;
      const files = symbols.files.map((file) => ({ ...file, blob: keptOf(file.blob) }));
      // Deleted first, so that it counts as the newest.
      packages.delete(key);
      packages.set(key, { id, version, blob: keptOf(symbols.blob), files });
      const duplicateBlobs = blobsOf(symbols).filter((blob) => keptOf(blob).key !== blob.key);
      return { status: "recorded", duplicates: duplicateBlobs.map((blob) => blob.key) };
    },
    async find(fileName, symbolKey) {
      return [...packages.values()].flatMap(({ id, version, files }) =>
        files
          .filter((file) => file.fileName === fileName && file.symbolKey === symbolKey)
          .map((file) => ({ ...file, id, version })),
      );
    },
    findPackage: async (id, version) => packages.get(rowKey(id, version))?.blob,
  };
}

function blobsOf({ blob, files }: NewSymbolPackage): readonly NamedBlob[] {
  return [blob, ...files.map((file) => file.blob)];
}
