import { NpmError } from "../errors.ts";
import type { NpmSearchFilter } from "./ports.ts";

export type SearchQuery = NpmSearchFilter & { readonly from: number; readonly size: number };

const SIZE_DEFAULT = 20;
const SIZE_MAX = 250;
const FROM_MAX = 10_000;
const TEXT_MAX = 500;
const KEYWORDS_MAX = 16;

/** `name:value`, as the public registry has them; of others the text is searched for as it is. */
const QUALIFIER = /^(keywords?|scope|maintainer|not|is|boost-exact):(.+)$/i;

/**
 * Reads `text`, `size` and `from`; the weights that npm sends along have no meaning here. In the
 * text, `keywords:a,b` wants one of them and `keywords:a+b` both, `scope:acme` and
 * `maintainer:alice` narrow it down, `not:deprecated` and `not:unstable` leave out what is so.
 */
export function parseSearchQuery(parameters: URLSearchParams): SearchQuery {
  const text = parameters.get("text");
  if (text === null) throw new NpmError("query-invalid", "'text' query parameter is required");
  return {
    ...parseSearchText(text.slice(0, TEXT_MAX)),
    from: Math.min(countOf(parameters.get("from"), 0), FROM_MAX),
    size: Math.min(countOf(parameters.get("size"), SIZE_DEFAULT), SIZE_MAX),
  };
}

export function parseSearchText(text: string): NpmSearchFilter {
  const words: string[] = [];
  const keywords: (readonly string[])[] = [];
  const values = new Map<string, string>();
  const without: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, name = "", value = ""] = QUALIFIER.exec(word) ?? [];
    const qualifier = name.toLowerCase();
    if (qualifier === "") words.push(word);
    else if (qualifier.startsWith("keyword")) keywords.push(...keywordGroups(value));
    else if (qualifier === "not") without.push(...value.toLowerCase().split(","));
    else values.set(qualifier, value);
  }
  const scope = values.get("scope");
  const maintainer = values.get("maintainer");
  const leftOut = (["deprecated", "unstable"] as const).filter((one) => without.includes(one));
  return {
    text: words.join(" "),
    ...(keywords.length > 0 && { keywords: keywords.slice(0, KEYWORDS_MAX) }),
    ...(scope !== undefined && { scope: scope.startsWith("@") ? scope : `@${scope}` }),
    ...(maintainer !== undefined && { maintainer }),
    ...(leftOut.length > 0 && { without: leftOut }),
  };
}

function keywordGroups(value: string): readonly (readonly string[])[] {
  return value
    .split("+")
    .map((group) => group.split(",").filter(Boolean).slice(0, KEYWORDS_MAX))
    .filter((group) => group.length > 0);
}

function countOf(text: string | null, fallback: number): number {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : fallback;
}
