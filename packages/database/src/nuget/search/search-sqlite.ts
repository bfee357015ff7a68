import { sql } from "#kysely";
import { sqliteMatch } from "../../search/match-sqlite.ts";
import { WORD_COLUMNS } from "./search-columns.ts";
import type { SearchDialect } from "./search-dialect.ts";

/** By FTS5: the table `nuget_search_words` that triggers keep (migration `first`). */
export const sqliteDialect: SearchDialect = {
  versionsWith: (clauses, except) =>
    sql`select rowid as version_id from nuget_search_words
      where nuget_search_words match ${sqliteMatch(WORD_COLUMNS, clauses, except)}`,
};
