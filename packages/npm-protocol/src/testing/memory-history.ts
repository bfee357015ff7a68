import type { NpmHistory, NpmVersionLine } from "../history/ports.ts";
import type { NpmLookup } from "../ports.ts";
import type { Entry, MemoryShelf } from "./memory-shelf.ts";

/** Nothing is downloaded here. */
const DOWNLOADS = { downloads: 0 } as const;

export function createMemoryHistory(
  { packages }: Pick<MemoryShelf, "packages">,
  lookup: Pick<NpmLookup, "find">,
): NpmHistory {
  return {
    async summary(name) {
      const npmPackage = await lookup.find(name);
      if (!npmPackage) return undefined;
      const { versions, ...summary } = npmPackage;
      return { ...summary, versionCount: versions.length };
    },
    async version(name, version) {
      const stored = packages.get(name)?.versions.get(version);
      const npmPackage = await lookup.find(name);
      const shown = npmPackage?.versions.find((npmVersion) => npmVersion.version === version);
      if (!stored || !shown) return undefined;
      const { provenance: _, ...fields } = shown;
      const { fileCount, unpackedSize } = stored.entry;
      const sizes = { fileCount, unpackedSize, size: stored.blob.size };
      return { ...fields, ...sizes, publishedBy: stored.actor, ...DOWNLOADS };
    },
    newest: async (name, { from, size }) =>
      linesOf(packages.get(name))
        .toReversed()
        .slice(from, from + size),
  };
}

function linesOf(entry: Entry | undefined): readonly NpmVersionLine[] {
  return [...(entry?.versions.values() ?? [])].map(({ entry: version, deprecated }) => ({
    version: version.version,
    publishedAt: version.publishedAt,
    unpackedSize: version.unpackedSize,
    ...DOWNLOADS,
    ...(deprecated !== undefined && { deprecated }),
  }));
}
