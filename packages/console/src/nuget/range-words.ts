const RANGE = /^([[(])\s*([^,\])]*?)\s*(?:(,)\s*([^,\])]*?)\s*)?([\])])$/;

/**
 * Describes a version range: `[1.0.0, 2.0.0)` is `≥ 1.0.0 and < 2.0.0`. Other text is unchanged.
 */
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
