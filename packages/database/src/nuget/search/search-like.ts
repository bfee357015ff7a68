import { sql } from "#kysely";
import type { Clause, Phrase } from "@sealhouse/nuget-protocol";
import { WORD_COLUMNS } from "./search-columns.ts";
import { allOf, interleaved, never, not } from "./search-conditions.ts";
import type { Condition } from "./search-conditions.ts";
import type { SearchDialect } from "./search-dialect.ts";

/** By looking at the words of every version there is. */
export const likeDialect: SearchDialect = {
  versionsWith: (clauses, except) =>
    sql`select e.version_id from nuget_search_entries e where ${likeAll(clauses, except)}`,
};

/** Whether the words of `nuget_search_entries as e` hold every clause, but not all of `except`.
 * Columns have a space before and after each word, so this finds what an index of words finds. */
export function likeAll(clauses: readonly Clause[], except: readonly Clause[] = []): Condition {
  const wantedConditions = clauses.map(likeAny);
  return allOf(
    except.length === 0 ? wantedConditions : [...wantedConditions, not(likeAll(except))],
  );
}

function likeAny(clause: Clause): Condition {
  const parts = clause.flatMap((phrase) =>
    phrase.fields.map((field) => ({ column: WORD_COLUMNS[field], pattern: patternOf(phrase) })),
  );
  if (parts.length === 0) return never;
  return interleaved(
    parts.map(({ column }, index) => `${index === 0 ? "" : " or "}e.${column} like `),
    parts.map(({ pattern }) => pattern),
  );
}

/** Words hold no sign that means something in a pattern. */
function patternOf({ words, prefix }: Phrase): string {
  return `% ${words.join(" ")}${prefix ? "" : " "}%`;
}
