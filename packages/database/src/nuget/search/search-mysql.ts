import { sql } from "#kysely";
import type { WordField } from "@sealhouse/nuget-protocol";
import { allOf, always } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import { mysqlMatch } from "../../search/match-mysql.ts";
import type { FieldLetters } from "../../search/match-mysql.ts";
import type { SearchDialect } from "./search-dialect.ts";
import { likeAll } from "./search-like.ts";

/**
 * Full-text search over the generated column `words` of `nuget_search_entries` (migration `first`).
 * The index finds candidates; phrases, filters and exclusions are checked on these rows.
 */
export const mysqlDialect: SearchDialect = {
  versionsWith(clauses, except) {
    const { text, unsure } = mysqlMatch(LETTERS, clauses);
    const match: Condition = sql`match (e.words) against (${text} in boolean mode)`;
    const condition = allOf([text === "" ? always : match, likeAll(unsure, except)]);
    return sql`select e.version_id from nuget_search_entries e where ${condition}`;
  },
};

/**
 * Prefixes of the words per field, from the migration. Filters have none, because each matches most
 * versions and a check per row is faster than the index.
 */
const LETTERS: FieldLetters<WordField> = {
  idWords: "qi",
  idParts: "qp",
  title: "qt",
  tags: "qg",
  authors: "qa",
  summary: "qs",
  description: "qd",
};
