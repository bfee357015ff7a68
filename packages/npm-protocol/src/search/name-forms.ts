/** A text with any characters between its parts: `["@acme/", ""]` is whatever begins with
 * `@acme/`. One part: that text alone. */
export type NameForm = { readonly isScoped: boolean; readonly parts: readonly string[] };

/** Far more than the patterns of a token make; a database has a limit for one statement. */
const FORMS_MAX = 500;

/**
 * The forms that name patterns cover, for lookups whose patterns do not stop at `/`. A scoped npm
 * name has one `/` and others none, so each form fixes the position of the `/`. Forms beyond 500
 * are omitted: then a lookup finds fewer names than the patterns cover, never more.
 */
export function nameFormsOf(patterns: readonly string[]): readonly NameForm[] {
  const forms = patterns.flatMap((pattern) =>
    pattern.endsWith("/**")
      ? [...formsOf(pattern.slice(0, -"/**".length)), ...formsOf(pattern)]
      : formsOf(pattern),
  );
  const distinct = new Map(forms.map((form) => [JSON.stringify(form), form]));
  return [...distinct.values()].slice(0, FORMS_MAX);
}

function formsOf(pattern: string): readonly NameForm[] {
  const symbols = pattern.match(/\*+|[^*]+/g) ?? [];
  const slashes = pattern.split("/").length - 1;
  if (slashes > 1) return [];
  if (slashes === 1) return [{ isScoped: true, parts: partsOf(symbols) }];
  const unscoped = { isScoped: false, parts: partsOf(symbols) };
  // One of the parts that may hold a `/` holds it.
  const scoped = symbols.flatMap((symbol, index) =>
    symbol.startsWith("**")
      ? [{ isScoped: true, parts: partsOf(symbols.toSpliced(index, 1, "*", "/", "*")) }]
      : [],
  );
  return [unscoped, ...scoped];
}

/** Texts between the wildcards. */
function partsOf(symbols: readonly string[]): readonly string[] {
  const parts = [""];
  for (const symbol of symbols) {
    if (symbol.startsWith("*")) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${symbol}`);
  }
  return parts;
}
