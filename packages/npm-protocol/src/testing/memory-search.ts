import type { NpmSearch, NpmSearchFilter, NpmSearchHit } from "../search/ports.ts";
import { rankOf } from "../search/ports.ts";
import type { Entry, MemoryShelf, Stored } from "./memory-shelf.ts";

export function createMemorySearch({ packages }: Pick<MemoryShelf, "packages">): NpmSearch {
  return {
    async search({ from, size, ...filter }) {
      const hits = [...packages.values()]
        .map((entry) => ({ entry, stored: entry.versions.get(entry.tags.get("latest") ?? "") }))
        .flatMap(({ entry, stored }) =>
          stored && passes(filter, entry, stored) ? [hitOf(entry, stored)] : [],
        )
        .toSorted((a, b) => order(filter.text, a, b));
      return { total: hits.length, hits: hits.slice(from, from + size) };
    },
  };
}

function passes(filter: NpmSearchFilter, entry: Entry, { entry: version, ...stored }: Stored) {
  const { scope, maintainer, keywords = [], without = [] } = filter;
  const text = [entry.name, version.description, ...version.keywords].join("\n").toLowerCase();
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const known = new Set(version.keywords.map((keyword) => keyword.toLowerCase()));
  const isUnstable = /^0\.|-/.test(version.version);
  return (
    words.every((word) => text.includes(word)) &&
    keywords.every((group) => group.some((keyword) => known.has(keyword.toLowerCase()))) &&
    (scope === undefined || entry.name.startsWith(`${scope}/`)) &&
    (maintainer === undefined || entry.maintainers.some(({ name }) => name === maintainer)) &&
    !(without.includes("deprecated") && stored.deprecated !== undefined) &&
    !(without.includes("unstable") && isUnstable)
  );
}

function hitOf({ name, maintainers }: Entry, { entry, deprecated }: Stored): NpmSearchHit {
  const { version, description, keywords, publishedAt, manifest } = entry;
  const said = deprecated !== undefined && { deprecated };
  return { name, version, description, keywords, publishedAt, manifest, maintainers, ...said };
}

function order(text: string, a: NpmSearchHit, b: NpmSearchHit): number {
  const byRank = rankOf(a.name, text) - rankOf(b.name, text);
  if (byRank !== 0) return byRank;
  return a.name < b.name ? -1 : 1;
}
