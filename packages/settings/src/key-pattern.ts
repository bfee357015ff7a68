import { foldKey } from "./fold-key.ts";

/** Text of a regular expression for a key of a table, folded. A `*` in the key matches one name. */
export function keyPattern(key: string): string {
  return foldKey(key)
    .replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "(?:(?!__).)+");
}

/** Whether a folded key is the given key of a table. */
export function isKey(folded: string, key: string): boolean {
  return folded === foldKey(key) || (key.includes("*") && keyRegExp(key).test(folded));
}

function keyRegExp(key: string): RegExp {
  return new RegExp(`^${keyPattern(key)}$`);
}
