import type { Clause, Phrase, WordField } from "@sealhouse/nuget-protocol";
import type { SearchDialect } from "./search-dialect.ts";

/** By a `tsvector` with an inverted index: the table `nuget_search_words` that a trigger keeps
 * (migration `nuget_search`). Words are stored with the letter of their field before them, because
 * asking for weights would make PostgreSQL look at every row that it finds. */
export const postgresqlDialect: SearchDialect = {
  versionsWith(clauses, except = []) {
    const not = except.length === 0 ? "" : ` & !(${allOf(except)})`;
    return {
      sql: "select version_id from nuget_search_words where words @@ ?::tsquery",
      parameters: [`${allOf(clauses)}${not}`],
    };
  },
};

/** The letters that the migration gives the fields. */
const LETTERS: Readonly<Record<WordField, string>> = {
  filters: "f",
  idWords: "i",
  idParts: "p",
  title: "t",
  tags: "g",
  authors: "a",
  summary: "s",
  description: "d",
};

function allOf(clauses: readonly Clause[]): string {
  return clauses.map((clause) => `(${clause.flatMap(anyFieldOf).join(" | ")})`).join(" & ");
}

function anyFieldOf({ fields, words, prefix }: Phrase): readonly string[] {
  return fields.map((field) => {
    const lexemes = words.map((word) => `'${LETTERS[field]}${word}'`).join(" <-> ");
    return `(${lexemes}${prefix ? ":*" : ""})`;
  });
}
