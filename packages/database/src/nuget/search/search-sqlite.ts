import { sql } from "#kysely";
import type { Clause, Phrase } from "@sealhouse/nuget-protocol";
import { WORD_COLUMNS } from "./search-columns.ts";
import type { SearchDialect } from "./search-dialect.ts";

/** By FTS5: the table `nuget_search_words` that triggers keep (migration `nuget_search`). */
export const sqliteDialect: SearchDialect = {
  versionsWith(clauses, except = []) {
    const refused = except.length === 0 ? "" : ` NOT (${allOf(except)})`;
    const words = `(${allOf(clauses)})${refused}`;
    return sql`select rowid as version_id from nuget_search_words
      where nuget_search_words match ${words}`;
  },
};

function allOf(clauses: readonly Clause[]): string {
  return clauses.map((clause) => `(${clause.map(phraseOf).join(" OR ")})`).join(" AND ");
}

/** Quotes words, so that none is read as an operator. */
function phraseOf({ fields, words, prefix }: Phrase): string {
  const columns = fields.map((field) => WORD_COLUMNS[field]).join(" ");
  return `{${columns}} : "${words.join(" ")}"${prefix ? " *" : ""}`;
}
