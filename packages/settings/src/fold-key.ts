/** The form in which equal keys are the same text: keys ignore case, and `:` equals `__`. */
export function foldKey(key: string): string {
  return key.replaceAll(":", "__").toLowerCase();
}
