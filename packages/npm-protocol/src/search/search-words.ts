// Decides what a word is, for the index and for every search. Databases only compare words.

const WORD_LENGTH_MAX = 40;
const WORDS_MAX = 300;
/** Free text beyond this many characters is not searched. */
const TEXT_LENGTH_MAX = 4_000;
/** Letters of the npm alphabet and other scripts are separate words. */
const WORD = /[a-z0-9]+|[[\p{L}\p{N}]--[a-z0-9]]+/gv;

/** Returns runs of letters and digits, in lower case and without accents. */
export function searchWords(text: string): readonly string[] {
  const plain = text
    .slice(0, TEXT_LENGTH_MAX)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "");
  const words = plain.toLowerCase().match(WORD) ?? [];
  return words.slice(0, WORDS_MAX).map((word) => word.slice(0, WORD_LENGTH_MAX).toWellFormed());
}

/** Returns the words of a name and all their endings: a search finds the middle of a word. */
export function nameEndings(name: string): readonly string[] {
  const words = name.toLowerCase().match(WORD) ?? [];
  return [...new Set(words.flatMap(endingsOf))];
}

function endingsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  return letters.map((_, start) => letters.slice(start, start + WORD_LENGTH_MAX).join(""));
}

/** The words that a search compares. */
export type SearchableWords = {
  /** Endings of the words of the name. */
  readonly name: readonly string[];
  /** Words of the description and of the keywords. */
  readonly text: readonly string[];
};

/** Returns the words by which a package is found; each once. */
export function searchableWords(version: {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
}): SearchableWords {
  const { name, description, keywords } = version;
  const text = searchWords([description, ...keywords].join("\n"));
  return { name: nameEndings(name), text: [...new Set(text)] };
}
