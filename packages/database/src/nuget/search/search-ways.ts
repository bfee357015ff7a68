import type { SearchFilter } from "@sealhouse/nuget-protocol";

/**
 * The four sets of versions that a search can select from. Each has a column of `nuget_packages`
 * with the newest version, also under the alias `p`, and a filter word in that version's search
 * entry.
 */
export const SEARCH_WAYS = [
  {
    property: "newestStable1",
    column: "newest_stable1",
    reference: "p.newest_stable1",
    word: "ways1",
  },
  { property: "newestAny1", column: "newest_any1", reference: "p.newest_any1", word: "waya1" },
  {
    property: "newestStable2",
    column: "newest_stable2",
    reference: "p.newest_stable2",
    word: "ways2",
  },
  { property: "newestAny2", column: "newest_any2", reference: "p.newest_any2", word: "waya2" },
] as const;

export type SearchWay = (typeof SEARCH_WAYS)[number];

export function wayOf({ prerelease, semVer2 }: SearchFilter): SearchWay {
  return SEARCH_WAYS[((semVer2 ? 2 : 0) + (prerelease ? 1 : 0)) as 0 | 1 | 2 | 3];
}
