import { sql } from "#kysely";
import type { RawBuilder } from "#kysely";
import { allOf, always } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import { likeWordsIn } from "../../search/like-words.ts";
import { mysqlMatch } from "../../search/match-mysql.ts";
import { sqliteMatch } from "../../search/match-sqlite.ts";
import type { DialectName } from "../../statements/typed-statement.ts";
import { NPM_COLUMNS } from "./npm-words.ts";
import type { NpmClause, NpmField } from "./npm-words.ts";

/** A select of the `package_id` of each row of `npm_search_entries` with all clauses, but not all
 * of `except`. There is at least one clause. */
export type WordMatch = (
  clauses: readonly NpmClause[],
  except: readonly NpmClause[],
) => RawBuilder<{ readonly package_id: number }>;

/** Whether the words of `npm_search_entries as e` have all clauses, but not all of `except`. */
export const likeAll = likeWordsIn(NPM_COLUMNS);

/** The letters of the migration `npm_search`. */
const MYSQL_LETTERS = { filters: "qf", name: "qn", text: "qt" } as const;
const POSTGRESQL_LETTERS = { filters: "f", name: "n", text: "t" } as const;
/** Beginnings up to this length are words of the index on PostgreSQL. */
const BEGINNING_LENGTH_MAX = 3;

/** The index of words of each database. `like` reads every row. */
const MATCHES: Readonly<Record<DialectName | "like", WordMatch>> = {
  Sqlite: (clauses, except) =>
    sql`select rowid as package_id from npm_search_words
      where npm_search_words match ${sqliteMatch(NPM_COLUMNS, clauses, except)}`,
  PostgreSQL(clauses, except) {
    const refused = except.length === 0 ? "" : ` & !(${lexemesOf(except)})`;
    // The subselect hides the text from the planner, which would choose a full scan for many
    // matches.
    return sql`select package_id from npm_search_words
      where words @@ (select ${`${lexemesOf(clauses)}${refused}`}::tsquery)`;
  },
  MySql(clauses, except) {
    const { text, unsure } = mysqlMatch(MYSQL_LETTERS, clauses);
    const match: Condition = sql`match (e.words) against (${text} in boolean mode)`;
    return rowsWith(allOf([text === "" ? always : match, likeAll(unsure, except)]));
  },
  // Its full-text index is a separate component, and misses what was just published.
  SqlServer: (clauses, except) => rowsWith(likeAll(clauses, except)),
  like: (clauses, except) => rowsWith(likeAll(clauses, except)),
};

export function wordMatch(type: DialectName | "like"): WordMatch {
  return MATCHES[type];
}

function rowsWith(condition: Condition): RawBuilder<{ readonly package_id: number }> {
  return sql`select e.package_id from npm_search_entries e where ${condition}`;
}

function lexemesOf(clauses: readonly NpmClause[]): string {
  return clauses.map((clause) => `(${clause.flatMap(anyFieldOf).join(" | ")})`).join(" & ");
}

function anyFieldOf({ fields, words, prefix }: NpmClause[number]): readonly string[] {
  const [word = ""] = words;
  return fields.map((field: NpmField) => {
    const letter = POSTGRESQL_LETTERS[field];
    if (!prefix) return `'${letter}${word}'`;
    const { length } = word;
    return length <= BEGINNING_LENGTH_MAX ? `'${letter}${length}_${word}'` : `'${letter}${word}':*`;
  });
}
