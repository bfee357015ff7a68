import type { SearchFilter } from "@sealhouse/nuget-protocol";

/** The four ways a search can ask which versions count: the column of `nuget_packages` that names
 * the newest of them, and the word that the entry of that version has among its filters. */
export const SEARCH_WAYS = [
  { property: "newestStable1", column: "newest_stable1", word: "ways1" },
  { property: "newestAny1", column: "newest_any1", word: "waya1" },
  { property: "newestStable2", column: "newest_stable2", word: "ways2" },
  { property: "newestAny2", column: "newest_any2", word: "waya2" },
] as const;

export type SearchWay = (typeof SEARCH_WAYS)[number];

export function wayOf({ prerelease, semVer2 }: SearchFilter): SearchWay {
  return SEARCH_WAYS[((semVer2 ? 2 : 0) + (prerelease ? 1 : 0)) as 0 | 1 | 2 | 3];
}
