/** Text of others on a terminal or in a log: nothing in it moves the cursor or changes colours.
 * Line breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, escaped);
}

/** The same on one line, so that foreign text cannot imitate a line of the log. */
export function printableLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
