import type { PackageRecord } from "../stored-package.ts";
import type { IdLimit } from "./id-limit.ts";
import type { Wanted } from "./query.ts";

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

export type SearchPage = { readonly skip: number; readonly take: number };

/** `wanted` is what `parseQueryText` makes of the text that somebody typed. */
export type SearchQuery = SearchFilter & SearchPage & { readonly wanted: Wanted };

export type CompletionQuery = SearchFilter & SearchPage & { readonly prefix: string };

export type SearchHit = {
  readonly id: string;
  /** The newest version that passes the filter. */
  readonly newest: PackageRecord;
  /** All that pass the filter, ascending. */
  readonly versions: readonly HitVersion[];
  /** Everybody who has published a version, in the order of their first. */
  readonly owners: readonly string[];
};

export type HitVersion = Pick<PackageRecord, "version" | "fullVersion" | "downloads">;

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

export interface DependentsLookup {
  /** Packages whose newest listed version, a stable one if there is any, depends on `id`; most
   * downloaded first. Ids outside of the limit are as if they did not exist. */
  dependents(
    id: string,
    page: SearchPage & IdLimit,
  ): Promise<{ readonly totalHits: number; readonly packages: readonly Dependent[] }>;
}

export type Dependent = {
  readonly id: string;
  readonly description: string;
  readonly downloads: number;
};
