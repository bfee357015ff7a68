import { parseDetails } from "../manifest/package-details.ts";
import type { PackageLifecycle } from "../ports.ts";
import type { RetentionPackages } from "../retention/ports.ts";
import type { Row } from "./memory-row.ts";

/** Pages of packages with published prereleases, by looking at every row. */
export function createMemoryRetention(
  all: () => readonly Row[],
  lifecycle: Pick<PackageLifecycle, "delete">,
): RetentionPackages {
  return {
    async page(after, limit) {
      const groups = [...Map.groupBy(all(), (row) => row.id.toLowerCase())]
        .filter(([id, rows]) => id > after && rows.some(isPublishedPrerelease))
        .toSorted(([id], [other]) => (id < other ? -1 : 1));
      return groups.slice(0, limit).map(([id, rows]) => ({
        id,
        versions: rows.map((row) => ({
          version: row.version,
          isPublishedPrerelease: isPublishedPrerelease(row),
          listed: row.listed,
          publishedAt: row.publishedAt,
        })),
      }));
    },
    async dependents(ids, { after, limit }) {
      const rows = all();
      const page = rows.slice(after, after + limit);
      const dependents = page
        .map((row) => ({
          id: row.id,
          version: row.version,
          dependencies: parseDetails(row).dependencyGroups.flatMap((group) => group.dependencies),
        }))
        .filter((row) => row.dependencies.some(({ id }) => ids.has(id.toLowerCase())));
      return { dependents, ...(after + limit < rows.length && { next: after + limit }) };
    },
    async delete(id, { version }, caller) {
      const others = all().filter((row) => row.id.toLowerCase() === id && row.version !== version);
      const isHere = all().some((row) => row.id.toLowerCase() === id && row.version === version);
      return isHere && others.length === 0
        ? "kept"
        : lifecycle.delete(id, version.toLowerCase(), caller);
    },
  };
}

function isPublishedPrerelease({ isPrerelease, origin }: Row): boolean {
  return isPrerelease && origin === "Published";
}
