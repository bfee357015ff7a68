import type { NpmPackage, NpmPast } from "@sealhouse/npm-protocol";

/**
 * Adds packages of sources to the history: their versions count from the time at which they were
 * published there. The tags of that time are unknown, so only `latest` is shown.
 */
export function mirroredPast(
  past: NpmPast,
  {
    findMirrored,
    kept,
    hasSources,
  }: Pick<NpmPast, "kept"> & {
    /** Undefined for packages that do not come from a source. */
    readonly findMirrored: (name: string) => Promise<NpmPackage | undefined>;
    readonly hasSources: () => Promise<boolean>;
  },
): NpmPast {
  return {
    async find(name, time) {
      const found = await findMirrored(name);
      if (!found) return past.find(name, time);
      const versions = found.versions.filter(({ publishedAt }) => publishedAt <= time);
      if (versions.length === 0) return undefined;
      return {
        versions: new Map(versions.map((version) => [version.version, factsOf(version)])),
        distTags: {},
        changedAt: new Date(Math.max(...versions.map(({ publishedAt }) => publishedAt.getTime()))),
      };
    },
    async version(name, version, time) {
      const found = await findMirrored(name);
      if (!found) return past.version(name, version, time);
      const listed = found.versions.find((candidate) => candidate.version === version);
      return listed && listed.publishedAt <= time ? factsOf(listed) : undefined;
    },
    kept,
    // Sources know versions from before the first row of this registry.
    beginning: async (time) => ((await hasSources()) ? new Date(0) : past.beginning(time)),
  };
}

function factsOf({ integrity, deprecated }: NpmPackage["versions"][number]) {
  return { integrity, ...(deprecated !== undefined && { deprecated }) };
}
