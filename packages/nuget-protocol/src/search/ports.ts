import type { PackageRecord } from "../ports.ts";

export type SearchQuery = {
  readonly text: string;
  readonly skip: number;
  readonly take: number;
  readonly prerelease: boolean;
  readonly semVer2: boolean;
  readonly packageType?: string;
};

/** `versions` are those that pass the filters, ascending. */
export type SearchHit = { readonly id: string; readonly versions: readonly PackageRecord[] };

export interface PackageSearch {
  search(
    query: SearchQuery,
  ): Promise<{ readonly totalHits: number; readonly hits: readonly SearchHit[] }>;
  /** Ids that start with the text, in alphabetical order. */
  idsStartingWith(
    query: SearchQuery,
  ): Promise<{ readonly totalHits: number; readonly ids: readonly string[] }>;
}

export interface DependentsLookup {
  /** Packages whose newest listed version depends on `id`, most downloaded first. */
  dependents(
    id: string,
    page: { readonly skip: number; readonly take: number },
  ): Promise<{ readonly totalHits: number; readonly packages: readonly Dependent[] }>;
}

export type Dependent = {
  readonly id: string;
  readonly description: string;
  readonly downloads: number;
};
