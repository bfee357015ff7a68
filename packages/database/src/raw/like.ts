/** A pattern for `like ? escape '!'` that finds the text literally, at any place. */
export function containing(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** Escapes text for a literal match in `like ? escape '!'`. SQL Server knows `[` as a wildcard. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[!%_[]/g, (sign) => `!${sign}`);
}

const TERMS_MAX = 16;
const TERM_LENGTH_MAX = 256;

/** Splits a search text into lower-case words. Excess text is ignored. */
export function searchTerms(text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.slice(0, TERMS_MAX).map((word) => word.slice(0, TERM_LENGTH_MAX));
}
