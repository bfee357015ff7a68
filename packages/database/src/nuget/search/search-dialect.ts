import type { RawBuilder } from "#kysely";
import type { Clause } from "@sealhouse/nuget-protocol";

/**
 * Word search of a database. Its input consists of words in lower case, so it needs no escaping or
 * tokenizing.
 */
export interface SearchDialect {
  /** A select of the `version_id` of every row of `nuget_search_entries` whose words hold all of
   * the clauses, but not all of `except`. There is at least one clause, and none is empty. */
  versionsWith(clauses: readonly Clause[], except?: readonly Clause[]): RawBuilder<FoundVersion>;
}

/** A version that a word search finds. */
export type FoundVersion = { readonly version_id: number };
