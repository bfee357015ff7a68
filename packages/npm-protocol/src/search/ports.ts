import type { HiddenNames } from "@sealhouse/request-types";
import type { Maintainer } from "../owners/ports.ts";

/** One hit: the version that `latest` points to. */
export type NpmSearchHit = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly publishedAt: Date;
  /** The manifest of that version, JSON text. */
  readonly manifest: string;
  /** The deprecation message; absent for versions that are not deprecated. */
  readonly deprecated?: string;
  /** Absent where the package was published before there were owners. */
  readonly maintainers?: readonly Maintainer[];
  /** Packages here whose `latest` depends on it, in any way but for development. */
  readonly dependents: number;
};

/** `unstable` is a version below 1.0.0 or before a release. */
export type NpmSearchQuality = "deprecated" | "unstable";

/**
 * Names that a caller may see. `names` are patterns, one of which must cover a name: `*` matches
 * any characters except `/`, `**` any characters; a final `/**` also covers the name before it;
 * case matters. Absent: all names.
 */
export type NameLimit = {
  readonly names?: readonly string[];
  /** Names that the caller must not see; absent: none. */
  readonly hidden?: HiddenNames;
};

/** The limit of a caller that may read. */
export function nameLimitOf({ names, hidden }: NameLimit): NameLimit {
  return { ...(names && { names }), ...(hidden && { hidden }) };
}

/** Packages of package sources to leave out. */
export type OriginLimit = {
  /** Leaves out all of them. */
  readonly ownOnly?: boolean;
  /** Leaves out the packages of these sources. */
  readonly notFrom?: readonly string[];
};

/** Conditions of a search; all must apply. */
export type NpmSearchFilter = {
  /** Words with blanks between them; letter case does not count. */
  readonly text: string;
  /** At least one keyword of each group; whole keywords, case does not matter. */
  readonly keywords?: readonly (readonly string[])[];
  /** With its `@`. */
  readonly scope?: string;
  /** Names; each has to be that of a maintainer. */
  readonly maintainers?: readonly string[];
  readonly without?: readonly NpmSearchQuality[];
  /** States that must all apply. */
  readonly only?: readonly NpmSearchQuality[];
  /** Whether the package that is called `text` comes before those whose name holds it. Default
   * true. */
  readonly boostExact?: boolean;
};

/** Hits up to which the first pages of a search have exact totals. */
const FIRST_TOTAL_MAX = 1_000;
/** Hits up to which later pages have exact totals; no page begins after them. */
const TOTAL_MAX = 10_000;

/** Returns the largest total of a page: further hits are not counted. It is more than a client
 * needs to know that there is another page. */
export function searchTotalMax({ from, size }: { readonly from: number; readonly size: number }) {
  return from + size < FIRST_TOTAL_MAX / 2 ? FIRST_TOTAL_MAX : TOTAL_MAX;
}

/** Search of packages by words and filters. */
export interface NpmSearch {
  /**
   * One hit for each package that has every word of `text` and passes the other filters; the hit is
   * the version that `latest` points to. A package has a word when a word of its name contains it,
   * or when a word of its description or keywords begins with it (`searchableWords`). An empty text
   * finds all, and a text without letters and digits nothing. First comes the package that is
   * called `text`, then those whose name contains it, then the others, each by name; the order is
   * the same from page to page. `total` is at most `totalMax`, which defaults to `searchTotalMax`.
   * Names outside of the limit are as if they did not exist: neither hits, nor `total`, nor
   * `dependents` hold them.
   */
  search(
    query: NpmSearchFilter &
      NameLimit &
      OriginLimit & { readonly from: number; readonly size: number; readonly totalMax?: number },
  ): Promise<{ readonly total: number; readonly hits: readonly NpmSearchHit[] }>;
}

/** 0 for the package that is called `text`, 1 where the name contains it, 2 for the others. A name
 * with capitals is called by nothing else. */
export function rankOf(
  name: string,
  { text, boostExact = true }: Pick<NpmSearchFilter, "text" | "boostExact">,
): 0 | 1 | 2 {
  const lowerText = text.toLowerCase();
  if (boostExact && (name === text || name === lowerText)) return 0;
  return name.toLowerCase().includes(lowerText) ? 1 : 2;
}
