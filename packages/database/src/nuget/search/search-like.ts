import { sql } from "#kysely";
import { likeWordsIn } from "../../search/like-words.ts";
import { WORD_COLUMNS } from "./search-columns.ts";
import type { SearchDialect } from "./search-dialect.ts";

/** By looking at the words of every version there is. */
export const likeDialect: SearchDialect = {
  versionsWith: (clauses, except) =>
    sql`select e.version_id from nuget_search_entries e where ${likeAll(clauses, except)}`,
};

/** Whether the words of `nuget_search_entries as e` hold every clause, but not all of `except`. */
export const likeAll = likeWordsIn(WORD_COLUMNS);
