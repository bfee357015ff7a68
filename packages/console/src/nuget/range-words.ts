const RANGE = /^([[(])\s*([^,\])]*?)\s*(?:(,)\s*([^,\])]*?)\s*)?([\])])$/;

/** A version range in words: `[1.0.0, 2.0.0)` is `≥ 1.0.0 and < 2.0.0`. What is none stays. */
export function rangeWords(range: string): string {
  const text = range.trim();
  if (text === "*") return "any version";
  const match = RANGE.exec(text);
  if (!match) return text;
  const [, open, lower = "", comma, upper = "", close] = match;
  if (comma === undefined || (lower !== "" && lower === upper)) {
    return lower === "" ? "any version" : `= ${lower}`;
  }
  const bounds = [
    lower === "" ? "" : `${open === "[" ? "≥" : ">"} ${lower}`,
    upper === "" ? "" : `${close === "]" ? "≤" : "<"} ${upper}`,
  ].filter((bound) => bound !== "");
  return bounds.length === 0 ? "any version" : bounds.join(" and ");
}
