import { NpmError } from "../errors.ts";
import type { NpmSearchFilter, NpmSearchQuality } from "./ports.ts";

export type SearchQuery = NpmSearchFilter & { readonly from: number; readonly size: number };

const SIZE_DEFAULT = 20;
const SIZE_MAX = 250;
const FROM_MAX = 10_000;
const TEXT_MAX = 500;
const KEYWORDS_MAX = 16;
const MAINTAINERS_MAX = 8;

/** `name:value`, as in the public registry; other qualifiers are searched as text. */
const QUALIFIER = /^(keywords?|scope|author|maintainer|not|is|boost-exact):(.+)$/i;

/**
 * Reads `text`, `size` and `from`; the weights that npm sends have no effect. In the text,
 * `keywords:a,b` requires one of them and `keywords:a+b` both, `scope:acme` and `maintainer:alice`
 * narrow the search, `not:deprecated` and `not:unstable` exclude such packages, `is:` excludes all
 * others. `author:` means a maintainer, because the index does not contain authors.
 */
export function parseSearchQuery(parameters: URLSearchParams): SearchQuery {
  const text = parameters.get("text");
  if (text === null) throw new NpmError("query-invalid", "'text' query parameter is required");
  return {
    ...parseSearchText(text.slice(0, TEXT_MAX)),
    from: Math.min(countOf(parameters.get("from"), 0), FROM_MAX),
    size: Math.min(sizeOf(parameters.get("size")), SIZE_MAX),
  };
}

/** Reads words and qualifiers of a search text, such as `keywords:a,b` and `not:deprecated`. */
export function parseSearchText(text: string): NpmSearchFilter {
  const words: string[] = [];
  const values = new Map<string, readonly string[]>();
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, name = "", value = ""] = QUALIFIER.exec(word) ?? [];
    if (name === "") words.push(word);
    else values.set(meaningOf(name), [...(values.get(meaningOf(name)) ?? []), value]);
  }
  return { text: words.join(" "), ...narrowedBy((qualifier) => values.get(qualifier) ?? []) };
}

/** Writes a filter in the form that `parseSearchText` reads. */
export function searchTextOf(filter: NpmSearchFilter): string {
  const { text, keywords, scope, maintainers, without, only, boostExact } = filter;
  const qualifiers = [
    ...(keywords ? [`keywords:${keywords.map((group) => group.join(",")).join("+")}`] : []),
    ...(scope === undefined ? [] : [`scope:${scope.slice(1)}`]),
    ...(maintainers ?? []).map((name) => `maintainer:${name}`),
    ...(without ? [`not:${without.join(",")}`] : []),
    ...(only ? [`is:${only.join(",")}`] : []),
    ...(boostExact === false ? ["boost-exact:false"] : []),
  ];
  return [text, ...qualifiers].filter(Boolean).join(" ");
}

/** `of` returns the values of a qualifier, one for each use. */
function narrowedBy(of: (qualifier: string) => readonly string[]): Omit<NpmSearchFilter, "text"> {
  const scope = of("scope").at(-1);
  const keywords = of("keywords").flatMap(keywordGroups).slice(0, KEYWORDS_MAX);
  const maintainers = of("maintainer").slice(0, MAINTAINERS_MAX);
  const without = qualitiesIn(of("not"));
  const only = qualitiesIn(of("is"));
  return {
    ...(scope !== undefined && { scope: scope.startsWith("@") ? scope : `@${scope}` }),
    ...(keywords.length > 0 && { keywords }),
    ...(maintainers.length > 0 && { maintainers }),
    ...(without.length > 0 && { without }),
    ...(only.length > 0 && { only }),
    ...(of("boost-exact").at(-1)?.toLowerCase() === "false" && { boostExact: false }),
  };
}

function meaningOf(qualifier: string): string {
  const name = qualifier.toLowerCase();
  if (name === "keyword") return "keywords";
  return name === "author" ? "maintainer" : name;
}

/** `insecure` is ignored: the search does not use advisories. */
function qualitiesIn(values: readonly string[]): readonly NpmSearchQuality[] {
  const namedQualities = new Set(values.flatMap((value) => value.toLowerCase().split(",")));
  return (["deprecated", "unstable"] as const).filter((quality) => namedQualities.has(quality));
}

function keywordGroups(value: string): readonly (readonly string[])[] {
  return value
    .split("+")
    .map((group) => group.split(",").filter(Boolean).slice(0, KEYWORDS_MAX))
    .filter((group) => group.length > 0);
}

/** A negative size is an error of the caller: a full page would be a surprise. */
function sizeOf(text: string | null): number {
  if (text !== null && /^-\d/.test(text)) {
    throw new NpmError("query-invalid", `'size' must be a number from 0 to ${SIZE_MAX}.`);
  }
  return countOf(text, SIZE_DEFAULT);
}

function countOf(text: string | null, fallback: number): number {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : fallback;
}
