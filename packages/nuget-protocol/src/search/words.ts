// What counts as a word is decided here, once, for the index and for every query: a database only
// compares the words it is given and never splits text itself.

/** Separates words of different phrases. No text has it as a word. */
export const BREAK = "\u{e000}";

const WORD_LENGTH_MAX = 64;
const WORDS_MAX = 600;
/** Free text beyond this many characters is not looked at. */
const TEXT_LENGTH_MAX = 8_000;
const PART_LENGTH_MIN = 3;
/** Where a lower-case letter meets an upper-case one, capitals meet a name, letters meet digits. */
const CASE_CHANGES =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;

/** Runs of letters and digits, in lower case and without accents. */
export function wordsOf(text: string): readonly string[] {
  const plain = text
    .slice(0, TEXT_LENGTH_MAX)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "");
  const words = plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, WORDS_MAX).map((word) => word.slice(0, WORD_LENGTH_MAX).toWellFormed());
}

/**
 * The words of an id as written, then those of its camel-case parts when they differ:
 * `Acme.JsonTools` gives `acme jsontools`, a break, `acme json tools`.
 */
export function idWordsOf(id: string): readonly string[] {
  const written = wordsOf(id);
  const parts = wordsOf(id.split(CASE_CHANGES).join(" "));
  return parts.length === written.length ? written : [...written, BREAK, ...parts];
}

/** Endings of the words of an id, so that a search finds the middle of a word. */
export function idPartsOf(id: string): readonly string[] {
  const words = new Set(idWordsOf(id));
  const parts = [...words].flatMap((word) => {
    const count = Math.max(0, word.length - PART_LENGTH_MIN);
    return Array.from({ length: count }, (_, index) => word.slice(index + 1));
  });
  return [...new Set(parts)].filter((part) => !words.has(part));
}

/** Whether a word is long enough to be looked for within other words. */
export function canBePart(word: string): boolean {
  return word.length >= PART_LENGTH_MIN;
}
