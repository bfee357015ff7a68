import type {
  NpmSearch,
  NpmSearchFilter,
  NpmSearchHit,
  NpmSearchQuality,
} from "../search/ports.ts";
import { rankOf } from "../search/ports.ts";
import { createMemoryDependents } from "./memory-lifecycle.ts";
import type { Entry, MemoryShelf, Stored } from "./memory-shelf.ts";
import { isWithin } from "./name-limit.ts";

type Found = Omit<NpmSearchHit, "dependents">;

export function createMemorySearch({ packages }: Pick<MemoryShelf, "packages">): NpmSearch {
  const users = createMemoryDependents({ packages });
  return {
    async search({ from, size, ...filter }) {
      const found = [...packages.values()]
        .map((entry) => ({ entry, stored: entry.versions.get(entry.tags.get("latest") ?? "") }))
        .flatMap(({ entry, stored }) =>
          stored && isWithin(filter, entry.name) && passes(filter, entry, stored)
            ? [hitOf(entry, stored)]
            : [],
        )
        .toSorted((a, b) => order(filter, a, b));
      const hits = found.slice(from, from + size).map(async (hit) => {
        const { total } = await users.dependents(hit.name, { from: 0, size: 0 });
        return { ...hit, dependents: total };
      });
      return { total: found.length, hits: await Promise.all(hits) };
    },
  };
}

function passes(filter: NpmSearchFilter, entry: Entry, { entry: version, ...stored }: Stored) {
  const { scope, maintainers = [], keywords = [], without = [], only = [] } = filter;
  const text = [entry.name, version.description, ...version.keywords].join("\n").toLowerCase();
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const known = new Set(version.keywords.map((keyword) => keyword.toLowerCase()));
  const is: Record<NpmSearchQuality, boolean> = {
    deprecated: stored.deprecated !== undefined,
    unstable: /^0\.|-/.test(version.version),
  };
  return (
    words.every((word) => text.includes(word)) &&
    keywords.every((group) => group.some((keyword) => known.has(keyword.toLowerCase()))) &&
    (scope === undefined || entry.name.startsWith(`${scope}/`)) &&
    maintainers.every((wanted) => entry.maintainers.some(({ name }) => name === wanted)) &&
    !without.some((what) => is[what]) &&
    only.every((what) => is[what])
  );
}

function hitOf({ name, maintainers }: Entry, { entry, deprecated }: Stored): Found {
  const { version, description, keywords, publishedAt, manifest } = entry;
  const said = deprecated !== undefined && { deprecated };
  return { name, version, description, keywords, publishedAt, manifest, maintainers, ...said };
}

function order(filter: NpmSearchFilter, a: Found, b: Found): number {
  const byRank = rankOf(a.name, filter) - rankOf(b.name, filter);
  if (byRank !== 0) return byRank;
  return a.name < b.name ? -1 : 1;
}
