import type { RetentionPackages } from "../retention/ports.ts";
import type { Row } from "./memory-row.ts";

/** Pages of packages with published prereleases, by looking at every row. */
export function createMemoryRetention(all: () => readonly Row[]): RetentionPackages {
  return {
    async page(after, limit) {
      const rows = all().filter((row) => row.isPrerelease && row.origin === "Published");
      const groups = [...Map.groupBy(rows, (row) => row.id.toLowerCase())]
        .filter(([id]) => id > after)
        .toSorted(([id], [other]) => (id < other ? -1 : 1));
      return groups.slice(0, limit).map(([id, versions]) => ({
        id,
        versions: versions.map(({ version, listed, publishedAt }) => ({
          version,
          listed,
          publishedAt,
        })),
      }));
    },
  };
}
