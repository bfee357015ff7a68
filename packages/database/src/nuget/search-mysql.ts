import type { Clause, Phrase, WordField } from "@sealhouse/nuget-protocol";
import type { SearchDialect } from "./dialect.ts";
import { likeAll } from "./search-like.ts";

/**
 * By a full-text index over the generated column `words` of `nuget_search_entries` (migration
 * `nuget_search`), which holds each word after two letters for its field. So every word is longer
 * than the index's least length and none is one of its stop words, and one index serves all fields.
 * The index narrows down; what it cannot tell exactly (phrases, filters, what is left out) is
 * looked at in the rows it found.
 */
export const mysqlDialect: SearchDialect = {
  versionsWith(clauses, except = []) {
    const indexed = clauses.filter((clause) => clause.every(isIndexed));
    const looked = likeAll(clauses.filter((clause) => !clause.every(isTold)));
    const refused = except.length === 0 ? undefined : likeAll(except);
    const match = indexed.length === 0 ? "" : "match (e.words) against (? in boolean mode) and ";
    return {
      sql:
        `select e.version_id from nuget_search_entries e where ${match}(${looked.sql})` +
        (refused ? ` and not (${refused.sql})` : ""),
      parameters: [
        ...(indexed.length === 0 ? [] : [indexed.map(anyOf).join(" ")]),
        ...looked.parameters,
        ...(refused?.parameters ?? []),
      ],
    };
  },
};

/** The letters that the migration puts before the words of a field. Filters have none: each is
 * true of so many versions that looking at them costs less than asking the index. */
const LETTERS: Readonly<Record<Exclude<WordField, "filters">, string>> = {
  idWords: "qi",
  idParts: "qp",
  title: "qt",
  tags: "qg",
  authors: "qa",
  summary: "qs",
  description: "qd",
};

/** So many words begin like a shorter one that reading all rows is faster. */
const PREFIX_LENGTH_MIN = 3;

/** Whether the index can narrow the search down to rows with this phrase. Which letters of other
 * scripts make a word is decided by tables of the server that are older than ours. */
function isIndexed({ fields, words, prefix }: Phrase): boolean {
  const word = longest(words);
  if (fields.includes("filters") || !/^[a-z0-9]+$/.test(word)) return false;
  const isOpen = prefix && word === words.at(-1);
  return !isOpen || word.length >= PREFIX_LENGTH_MIN;
}

/** Whether the index alone can tell that a row has this phrase. */
function isTold(phrase: Phrase): boolean {
  return isIndexed(phrase) && phrase.words.length === 1 && phrase.prefix;
}

function anyOf(clause: Clause): string {
  return `+(${clause.flatMap(alternativesOf).join(" ")})`;
}

function alternativesOf({ fields, words, prefix }: Phrase): readonly string[] {
  const word = longest(words);
  const end = prefix && word === words.at(-1) ? "*" : "";
  return fields.flatMap((field) => (field === "filters" ? [] : `${LETTERS[field]}${word}${end}`));
}

/** The word of a phrase that the fewest rows have, as far as one can guess. */
function longest(words: readonly string[]): string {
  return words.reduce((one, other) => (other.length > one.length ? other : one), "");
}
