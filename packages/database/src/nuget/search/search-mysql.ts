import { sql } from "#kysely";
import type { Clause, Phrase, WordField } from "@sealhouse/nuget-protocol";
import { allOf, always } from "./search-conditions.ts";
import type { Condition } from "./search-conditions.ts";
import type { SearchDialect } from "./search-dialect.ts";
import { likeAll } from "./search-like.ts";

/**
 * Full-text search over the generated column `words` of `nuget_search_entries` (migration
 * `nuget_search`). Each word has a prefix of two letters for its field. Words are therefore never
 * too short for the index or stop words, and one index covers all fields. The index finds
 * candidates; phrases, filters and exclusions are checked on these rows.
 */
export const mysqlDialect: SearchDialect = {
  versionsWith(clauses, except) {
    const indexed = clauses.filter((clause) => clause.every(isIndexed));
    const unsure = clauses.filter((clause) => !clause.every(isTold));
    const words = indexed.map(anyWordOf).join(" ");
    const match: Condition = sql`match (e.words) against (${words} in boolean mode)`;
    const condition = allOf([indexed.length === 0 ? always : match, likeAll(unsure, except)]);
    return sql`select e.version_id from nuget_search_entries e where ${condition}`;
  },
};

/**
 * Prefixes of the words per field, from the migration. Filters have none, because each matches most
 * versions and a check per row is faster than the index.
 */
const LETTERS: Readonly<Record<Exclude<WordField, "filters">, string>> = {
  idWords: "qi",
  idParts: "qp",
  title: "qt",
  tags: "qg",
  authors: "qa",
  summary: "qs",
  description: "qd",
};

/** Shorter prefixes match too many words, so a full scan is faster. */
const PREFIX_LENGTH_MIN = 3;

/**
 * Whether the index can narrow the search to rows with this phrase. For other scripts the server's
 * character tables are older than those of Node.
 */
function isIndexed({ fields, words, prefix }: Phrase): boolean {
  const word = longest(words);
  if (fields.includes("filters") || !/^[a-z0-9]+$/.test(word)) return false;
  const isOpen = prefix && word === words.at(-1);
  return !isOpen || word.length >= PREFIX_LENGTH_MIN;
}

/** Whether the index alone determines that a row has this phrase. */
function isTold(phrase: Phrase): boolean {
  return isIndexed(phrase) && phrase.words.length === 1 && phrase.prefix;
}

function anyWordOf(clause: Clause): string {
  return `+(${clause.flatMap(alternativesOf).join(" ")})`;
}

function alternativesOf({ fields, words, prefix }: Phrase): readonly string[] {
  const word = longest(words);
  const end = prefix && word === words.at(-1) ? "*" : "";
  return fields.flatMap((field) => (field === "filters" ? [] : `${LETTERS[field]}${word}${end}`));
}

/** The word of a phrase that the fewest rows have, as far as one can guess. */
function longest(words: readonly string[]): string {
  return words.reduce((word, other) => (other.length > word.length ? other : word), "");
}
