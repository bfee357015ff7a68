import { sql } from "#kysely";
import { EVERYWHERE } from "@sealhouse/nuget-protocol";
import type { Clause, Phrase, WordField } from "@sealhouse/nuget-protocol";
import { allOf, always } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import type { SearchDialect } from "./search-dialect.ts";
import { SEARCH_WAYS } from "./search-ways.ts";

/**
 * Searches a `tsvector` with an inverted index, in the table `nuget_search_words` that a trigger
 * maintains (migration `nuget_search`). Words have the letter of their field as a prefix, because
 * weights would read every match. Each word also exists with a letter for all fields, which
 * replaces seven conditions.
 */
export const postgresqlDialect: SearchDialect = {
  versionsWith(clauses, except = []) {
    const wordClauses = clauses.filter((clause) => wayOf(clause) === undefined);
    const words = [
      ...(wordClauses.length === 0 ? [] : [wordsOf(wordClauses)]),
      ...(except.length === 0 ? [] : [`!(${wordsOf(except)})`]),
    ];
    // The subselect hides the query from the planner, which underestimates the cost of unpacking
    // words and would choose a full scan for many matches.
    const match: Condition = sql`words @@ (select ${words.join(" & ")}::tsquery)`;
    const ways = clauses.flatMap((clause): Condition[] => {
      const way = wayOf(clause);
      return way ? [sql`${sql.ref(way)}`] : [];
    });
    const condition = allOf([words.length === 0 ? always : match, ...ways]);
    return sql`select version_id from nuget_search_words where ${condition}`;
  },
};

/** The letters that the migration gives the fields. */
const LETTERS: Readonly<Record<WordField, string>> = {
  filters: "f",
  idWords: "i",
  // Only ever asked for together with all other fields.
  idParts: "x",
  title: "t",
  tags: "g",
  authors: "a",
  summary: "s",
  description: "d",
};
/** Prefixes of words in any field, and of beginnings of words outside the id. */
const [ANYWHERE, BEGINNINGS] = ["x", "y"];
/** Prefix of pairs of adjacent words. */
const PAIR = "q";
const BEGINNING_LENGTH_MAX = 2;
const TOLD = EVERYWHERE.filter((field) => field !== "idParts");

/** Ways are columns, because every other row has them. */
function wayOf(clause: Clause): string | undefined {
  const [phrase, ...others] = clause;
  if (phrase?.fields[0] !== "filters" || others.length > 0) return undefined;
  return SEARCH_WAYS.find(({ word }) => word === phrase.words[0])?.word;
}

function wordsOf(clauses: readonly Clause[]): string {
  return clauses.map((clause) => `(${clause.flatMap(anyFieldOf).join(" | ")})`).join(" & ");
}

/** Where a phrase is, PostgreSQL looks up row by row: in those that have its pairs of words. */
function anyFieldOf(phrase: Phrase): readonly string[] {
  const { fields, words, prefix } = phrase;
  const pairs = words.slice(1).map((word, index) => {
    const isOpen = prefix && index === words.length - 2;
    return `'${PAIR}${words[index]}_${word}'${isOpen ? ":*" : ""} & `;
  });
  const [word = "", ...others] = words;
  if (prefix && others.length === 0) {
    if (hasAll(fields, EVERYWHERE)) return [`'${ANYWHERE}${word}':*`];
    const isShort = Array.from(word).length <= BEGINNING_LENGTH_MAX;
    if (isShort && hasAll(fields, TOLD)) return [`'${BEGINNINGS}${word}'`];
  }
  return fields.map((field) => {
    const lexemes = words.map((part) => `'${LETTERS[field]}${part}'`).join(" <-> ");
    return `(${pairs.join("")}${lexemes}${prefix ? ":*" : ""})`;
  });
}

function hasAll(fields: readonly WordField[], all: readonly WordField[]): boolean {
  return fields.length === all.length && all.every((field) => fields.includes(field));
}
