/** The beginning of a text that an author wrote at any length; whole characters only. */
export function clipped(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text
    .slice(0, lengthMax)
    .toWellFormed()
    .replace(/\uFFFD$/, "")
    .trimEnd()}…`;
}
