import type { Clause, Phrase } from "@sealhouse/nuget-protocol";
import { WORD_COLUMNS } from "./search-columns.ts";
import type { SearchDialect, Sql } from "./dialect.ts";

/** By looking at the words of every version there is. */
export const likeDialect: SearchDialect = {
  versionsWith(clauses, except = []) {
    const wanted = likeAll(clauses);
    const start = `select e.version_id from nuget_search_entries e where ${wanted.sql}`;
    if (except.length === 0) return { ...wanted, sql: start };
    const refused = likeAll(except);
    return {
      sql: `${start} and not (${refused.sql})`,
      parameters: [...wanted.parameters, ...refused.parameters],
    };
  },
};

/** Whether the words of `nuget_search_entries as e` hold every clause. Columns have a space before
 * and after each word, so this finds what an index of words finds. */
export function likeAll(clauses: readonly Clause[]): Sql {
  const parts = clauses.map(likeAny);
  return {
    sql: parts.length === 0 ? "1 = 1" : parts.map(({ sql }) => `(${sql})`).join(" and "),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

function likeAny(clause: Clause): Sql {
  const parts = clause.flatMap((phrase) =>
    phrase.fields.map((field) => ({ column: WORD_COLUMNS[field], pattern: patternOf(phrase) })),
  );
  return {
    sql:
      parts.length === 0 ? "1 = 0" : parts.map(({ column }) => `e.${column} like ?`).join(" or "),
    parameters: parts.map(({ pattern }) => pattern),
  };
}

/** Words hold no sign that means something in a pattern. */
function patternOf({ words, prefix }: Phrase): string {
  return `% ${words.join(" ")}${prefix ? "" : " "}%`;
}
