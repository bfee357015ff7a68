/** A pattern for `like ? escape '!'` that finds the text literally, at any place. */
export function containing(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** The text within a pattern for `like ? escape '!'`, to be found literally. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[!%_]/g, (sign) => `!${sign}`);
}

const TERMS_MAX = 16;
const TERM_LENGTH_MAX = 256;

/** The words of a search text, lower-cased. What nobody types is cut off, not refused. */
export function searchTerms(text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.slice(0, TERMS_MAX).map((word) => word.slice(0, TERM_LENGTH_MAX));
}
