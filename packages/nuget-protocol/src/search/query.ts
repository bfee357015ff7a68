import { parsePackageVersion } from "../notation/package-version.ts";
import { wordsOf } from "./words.ts";

/** One search term: `asp.net`, or the text between quotes. */
export type Term = {
  /** As typed, in lower case, without the quotes. */
  readonly text: string;
  /** At least one. */
  readonly words: readonly string[];
};

export const QUALIFIERS = [
  "id",
  "packageid",
  "title",
  "tags",
  "authors",
  "owners",
  "summary",
  "description",
  "version",
] as const;

/** Field that a query text can name, such as `id:` or `tags:`. */
export type Qualifier = (typeof QUALIFIERS)[number];

/** Conditions of a query text. */
export type SearchConditions = {
  /** Every one must be found. */
  readonly terms: readonly Term[];
  /** For each field, at least one of the terms must match. */
  readonly qualified: Readonly<Partial<Record<Qualifier, readonly Term[]>>>;
  /** True when there was text but no letter or digit in it: then nothing is found. */
  readonly isUnanswerable: boolean;
};

const SPELLINGS: ReadonlyMap<string, Qualifier> = new Map([
  ...QUALIFIERS.map((name): [string, Qualifier] => [name, name]),
  ["tag", "tags"],
  ["author", "authors"],
  ["owner", "owners"],
]);

export const QUERY_LENGTH_MAX = 256;
const TERMS_MAX = 16;
const TOKEN = /(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi;

/**
 * Reads the text of a search box like the public gallery: words and "quoted phrases", and
 * `field:term` for the fields that it documents. An unknown field is plain text, and so is every
 * sign. Text beyond the limits is cut.
 */
export function parseQueryText(text: string): SearchConditions {
  const terms: Term[] = [];
  const qualified: Partial<Record<Qualifier, readonly Term[]>> = {};
  const tokens = [...text.slice(0, QUERY_LENGTH_MAX).matchAll(TOKEN)].slice(0, TERMS_MAX);
  for (const [whole, name = "", quoted, bare] of tokens) {
    const field = SPELLINGS.get(name.toLowerCase());
    const value = termOf(valueOf(field, quoted ?? bare ?? ""));
    if (field !== undefined && value) qualified[field] = [...(qualified[field] ?? []), value];
    else {
      const plain = termOf(name === "" && quoted !== undefined ? quoted : whole);
      if (plain) terms.push(plain);
    }
  }
  const count = terms.length + Object.keys(qualified).length;
  return { terms, qualified, isUnanswerable: tokens.length > 0 && count === 0 };
}

/** A version in its normal form, without metadata; an invalid version stays unchanged. */
function valueOf(field: Qualifier | undefined, text: string): string {
  if (field !== "version") return text;
  return parsePackageVersion(text)?.normalized ?? text;
}

function termOf(text: string): Term | undefined {
  const words = wordsOf(text);
  return words.length === 0 ? undefined : { text: text.trim().toLowerCase(), words };
}
