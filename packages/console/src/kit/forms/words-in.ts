/** Characters of a typed text that a question repeats. */
const LENGTH_MAX = 200;

/** Returns a typed text as one line, for the question what a form is about. */
export function wordsIn(values: Pick<URLSearchParams, "get">, name: string): string {
  const line = (values.get(name) ?? "").replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)}…` : line;
}
