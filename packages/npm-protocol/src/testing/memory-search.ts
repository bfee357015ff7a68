import type {
  NpmSearch,
  NpmSearchFilter,
  NpmSearchHit,
  NpmSearchQuality,
} from "../search/ports.ts";
import { rankOf, searchTotalMax } from "../search/ports.ts";
import { searchableWords, searchWords } from "../search/search-words.ts";
import { createMemoryDependents } from "./memory-lifecycle.ts";
import type { Entry, MemoryShelf, Stored } from "./memory-shelf.ts";
import { isWithin } from "./name-limit.ts";

type Hit = Omit<NpmSearchHit, "dependents">;

export function createMemorySearch({ packages }: Pick<MemoryShelf, "packages">): NpmSearch {
  const users = createMemoryDependents({ packages });
  return {
    async search({ from, size, totalMax = searchTotalMax({ from, size }), ...filter }) {
      const allHits = [...packages.values()]
        .map((entry) => ({ entry, stored: entry.versions.get(entry.tags.get("latest") ?? "") }))
        .flatMap(({ entry, stored }) =>
          stored && isWithin(filter, entry.name) && passes(filter, entry, stored)
            ? [hitOf(entry, stored)]
            : [],
        )
        .toSorted((a, b) => order(filter, a, b));
      const hits = allHits.slice(from, from + size).map(async (hit) => {
        const { total } = await users.dependents(hit.name, { from: 0, size: 0 });
        return { ...hit, dependents: total };
      });
      return {
        total: Math.min(allHits.length, totalMax),
        hits: await Promise.all(hits),
      };
    },
  };
}

function passes(filter: NpmSearchFilter, entry: Entry, { entry: version, ...stored }: Stored) {
  const { scope, maintainers = [], keywords = [], without = [], only = [] } = filter;
  const own = searchableWords({ ...version, name: entry.name });
  const words = searchWords(filter.text);
  const knownKeywords = new Set(version.keywords.map((keyword) => keyword.toLowerCase()));
  const is: Record<NpmSearchQuality, boolean> = {
    deprecated: stored.deprecated !== undefined,
    unstable: /^0\.|-/.test(version.version),
  };
  return (
    (words.length > 0 || filter.text === "") &&
    words.every((word) => [...own.name, ...own.text].some((other) => other.startsWith(word))) &&
    keywords.every((group) => group.some((keyword) => knownKeywords.has(keyword.toLowerCase()))) &&
    (scope === undefined || entry.name.startsWith(`${scope}/`)) &&
    maintainers.every((maintainer) => entry.maintainers.some(({ name }) => name === maintainer)) &&
    !without.some((what) => is[what]) &&
    only.every((what) => is[what])
  );
}

function hitOf({ name, maintainers }: Entry, { entry, deprecated }: Stored): Hit {
  const { version, description, keywords, publishedAt, manifest } = entry;
  const deprecation = deprecated !== undefined && { deprecated };
  return {
    name,
    version,
    description,
    keywords,
    publishedAt,
    manifest,
    maintainers,
    ...deprecation,
  };
}

function order(filter: NpmSearchFilter, a: Hit, b: Hit): number {
  const byRank = rankOf(a.name, filter) - rankOf(b.name, filter);
  if (byRank !== 0) return byRank;
  return a.name < b.name ? -1 : 1;
}
