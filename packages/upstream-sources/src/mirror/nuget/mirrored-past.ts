import type { PackagePast, PackageRecord, PastVersion } from "@sealhouse/nuget-protocol";
import type { PackageDocuments } from "./documents/package-documents.ts";

/**
 * Adds packages of sources to the history: their versions count from the time at which they were
 * published there, and have their current listing and deprecation.
 */
export function mirroredPast(
  past: PackagePast,
  {
    records,
    kept,
    hasSources,
  }: Pick<PackageDocuments, "records"> &
    Pick<PackagePast, "kept"> & { readonly hasSources: () => Promise<boolean> },
): PackagePast {
  /** Undefined for packages that do not come from a source. */
  const publishedUntil = async (
    id: string,
    time: Date,
  ): Promise<readonly PackageRecord[] | undefined> => {
    const found = await records(id);
    return found.status === "found"
      ? found.value.filter(({ publishedAt }) => publishedAt <= time)
      : undefined;
  };
  return {
    async versions(id, time) {
      const published = await publishedUntil(id, time);
      return published ? published.map(pastVersionOf) : past.versions(id, time);
    },
    async version(id, version, time) {
      const stored = await past.version(id, version, time);
      // A restore of a stored package asks no source.
      if (stored) return stored;
      const published = await publishedUntil(id, time);
      const isListed = published?.some((record) => record.version.toLowerCase() === version);
      return isListed === true ? { isKept: true } : undefined;
    },
    kept,
    // Sources know versions from before the first row of this registry.
    beginning: async (time) => ((await hasSources()) ? new Date(0) : past.beginning(time)),
  };
}

function pastVersionOf({ version, listed, deprecation }: PackageRecord): PastVersion {
  return {
    version: version.toLowerCase(),
    listed,
    ...(deprecation && { deprecation }),
    isKept: true,
  };
}
