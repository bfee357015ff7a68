import type { Clause, Phrase } from "./clauses.ts";

/**
 * Two letters that the full-text index has before the words of a field. Words are therefore never
 * too short for the index or stop words, and one index serves all fields. Fields without letters
 * are not in the index.
 */
export type FieldLetters<Field extends string> = Readonly<Partial<Record<Field, string>>>;

/** Shorter prefixes match too many words, so a full scan is faster. */
const PREFIX_LENGTH_MIN = 3;

/** A search in parts: the index finds candidates, and the clauses must be checked on these rows. */
export type MysqlMatch<Field extends string> = {
  /** Text for `against (… in boolean mode)`; empty when the index cannot help. */
  readonly text: string;
  readonly unsure: readonly Clause<Field>[];
};

export function mysqlMatch<Field extends string>(
  letters: FieldLetters<Field>,
  clauses: readonly Clause<Field>[],
): MysqlMatch<Field> {
  const isIndexedHere = (phrase: Phrase<Field>) => isIndexed(letters, phrase);
  const indexed = clauses.filter((clause) => clause.every(isIndexedHere));
  const isCertain = (phrase: Phrase<Field>) =>
    isIndexedHere(phrase) && phrase.words.length === 1 && phrase.prefix;
  const alternativesOf = ({ fields, words, prefix }: Phrase<Field>) => {
    const word = longest(words);
    const end = prefix && word === words.at(-1) ? "*" : "";
    return fields.map((field) => `${letters[field] ?? ""}${word}${end}`);
  };
  return {
    text: indexed.map((clause) => `+(${clause.flatMap(alternativesOf).join(" ")})`).join(" "),
    unsure: clauses.filter((clause) => !clause.every(isCertain)),
  };
}

/**
 * Whether the index can narrow the search to rows with this phrase. For other scripts the server's
 * character tables are older than those of Node.
 */
function isIndexed<Field extends string>(
  letters: FieldLetters<Field>,
  { fields, words, prefix }: Phrase<Field>,
): boolean {
  const word = longest(words);
  if (!fields.every((field) => letters[field]) || !/^[a-z0-9]+$/.test(word)) return false;
  const isOpen = prefix && word === words.at(-1);
  return !isOpen || word.length >= PREFIX_LENGTH_MIN;
}

/** The word of a phrase that the fewest rows have, as far as one can guess. */
function longest(words: readonly string[]): string {
  return words.reduce((word, other) => (other.length > word.length ? other : word), "");
}
