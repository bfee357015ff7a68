import type { PackageRecord } from "../stored-package.ts";
import type { IdLimit } from "./id-limit.ts";
import type { SearchConditions } from "./query.ts";

/** Which versions count, and which packages. Ids outside of the limit are as if they did not
 * exist. */
export type SearchFilter = IdLimit & {
  readonly prerelease: boolean;
  readonly semVer2: boolean;
  /** In any casing. */
  readonly packageType?: string;
  /** A package must be usable from one framework of each group; the groups are made by
   * `frameworkGroups`. */
  readonly frameworks?: readonly (readonly string[])[];
};

/** Page of a search: hits to skip and maximum number of hits. */
export type SearchPage = { readonly skip: number; readonly take: number };

/** `wanted` is the result of `parseQueryText` for the typed text. */
export type SearchQuery = SearchFilter &
  SearchPage & {
    readonly conditions: SearchConditions;
    /** The typed text, for package sources; absent where no source is to be asked. */
    readonly text?: string;
  };

/** An autocomplete query for ids with a prefix. */
export type CompletionQuery = SearchFilter & SearchPage & { readonly prefix: string };

/** One package of a search result. */
export type SearchHit = {
  readonly id: string;
  /** The newest version that passes the filter. */
  readonly newest: PackageRecord;
  /** All that pass the filter, ascending. */
  readonly versions: readonly HitVersion[];
  /** All publishers of a version, in order of their first publish. */
  readonly owners: readonly string[];
};

/** One version of a search hit. */
export type HitVersion = Pick<PackageRecord, "version" | "fullVersion" | "downloads">;

/** Search and autocomplete over the newest versions. */
export interface PackageSearch {
  /** Best first: the id itself, ids that start with the text, ids with its words, then title,
   * tags, authors, summary, description; the more downloaded first within each, then by id. */
  search(
    query: SearchQuery,
  ): Promise<{ readonly totalHits: number; readonly hits: readonly SearchHit[] }>;
  /** Ids that start with the prefix, in alphabetical order. */
  idsStartingWith(
    query: CompletionQuery,
  ): Promise<{ readonly totalHits: number; readonly ids: readonly string[] }>;
}

/** Lookup of the dependents of a package. */
export interface DependentsLookup {
  /** Packages whose newest listed version, a stable one if there is any, depends on `id`; most
   * downloaded first. Ids outside of the limit are as if they did not exist. */
  dependents(
    id: string,
    page: SearchPage & IdLimit,
  ): Promise<{ readonly totalHits: number; readonly packages: readonly Dependent[] }>;
}

/** A package that depends on another one. */
export type Dependent = {
  readonly id: string;
  readonly description: string;
  readonly downloads: number;
};
