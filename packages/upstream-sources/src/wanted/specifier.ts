/** Splits `@scope/name@range` at the first `@` that is not the scope's. */
export function splitSpecifier(text: string): readonly [name: string, range: string] {
  const end = text.indexOf("@", 1);
  return end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
}

/** The package of an alias: `is-odd` in `npm:is-odd@2.0.0`. Undefined for other ranges. */
export function aliasedName(range: string): string | undefined {
  const [, target = ""] = /^npm:(.*)$/s.exec(range) ?? [];
  const [name, version] = splitSpecifier(target);
  return version === "" ? undefined : name;
}
