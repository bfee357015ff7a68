import { hash } from "node:crypto";
import { searchableWords, searchWords } from "@sealhouse/npm-protocol";
import type { NpmSearchFilter } from "@sealhouse/npm-protocol";
import type { Clause } from "../../search/clauses.ts";

/** Fields of the index of words. */
export type NpmField = "filters" | "name" | "text";

export type NpmClause = Clause<NpmField>;

/** The columns of `npm_search_entries`, in the order in which the indexes have them. */
export const NPM_COLUMNS = {
  filters: "filters",
  name: "name_words",
  text: "text_words",
} as const satisfies Record<NpmField, string>;

/** The filter word of every package, for searches that only leave packages out. */
const EVERY = "all";

/** Properties of a package that a search compares. */
export type NpmIndexable = {
  readonly name: string;
  /** The version that `latest` points to. */
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly isDeprecated: boolean;
  readonly maintainers: readonly string[];
};

/** The words of a row of `npm_search_entries`. */
export function entryWords(indexable: NpmIndexable) {
  const { name, version, keywords, isDeprecated, maintainers } = indexable;
  const { name: nameWords, text } = searchableWords(indexable);
  const [scope] = name.startsWith("@") ? name.split("/") : [];
  const filters = [
    EVERY,
    ...(isDeprecated ? ["deprecated"] : []),
    ...(/^0\.|-/.test(version) ? ["unstable"] : []),
    ...(scope === undefined ? [] : [scopeWord(scope)]),
    ...keywords.map(keywordWord),
    ...maintainers.map(maintainerWord),
  ];
  return {
    filters: spaced(filters),
    nameWords: spaced(nameWords.map(plainWord)),
    textWords: spaced(text.map(plainWord)),
  };
}

/** The conditions of a search that the index of words answers. */
export type NpmConditions = {
  /** All must be there; undefined when nothing can be found. */
  readonly clauses: readonly NpmClause[] | undefined;
  /** The words of the text, for a place where they are searched. */
  readonly termsIn: (fields: readonly NpmField[]) => readonly NpmClause[];
  /** Clauses besides the text. */
  readonly filters: readonly NpmClause[];
  /** Not all of these may be there. */
  readonly except: readonly NpmClause[];
};

/** Words of a search text; excess text is ignored. */
const TERMS_MAX = 16;

export function npmConditions(filter: NpmSearchFilter): NpmConditions {
  const { text, keywords = [], scope, maintainers = [], without = [], only = [] } = filter;
  const words = searchWords(text).slice(0, TERMS_MAX).map(plainWord);
  const termsIn = (fields: readonly NpmField[]) =>
    words.map((word) => [{ fields, words: [word], prefix: true }]);
  const wanted = [
    ...keywords.map((group) => anyOf(group.map(keywordWord))),
    ...(scope === undefined ? [] : [anyOf([scopeWord(scope)])]),
    ...maintainers.map((name) => anyOf([maintainerWord(name)])),
    ...only.map((quality) => anyOf([quality])),
  ];
  const except = without.length === 0 ? [] : [anyOf(without)];
  const isAny = wanted.length + words.length === 0 && except.length > 0;
  const filters = isAny ? [anyOf([EVERY])] : wanted;
  const isUnanswerable = words.length === 0 && text.trim() !== "";
  const clauses = isUnanswerable ? undefined : [...filters, ...termsIn(["name", "text"])];
  return { clauses, termsIn, filters, except };
}

function anyOf(words: readonly string[]): NpmClause {
  return words.map((word) => ({ fields: ["filters"], words: [word], prefix: false }));
}

function scopeWord(scope: string): string {
  return `s${shortHash(scope)}`;
}

function keywordWord(keyword: string): string {
  return `k${shortHash(keyword.toLowerCase())}`;
}

function maintainerWord(name: string): string {
  return `m${shortHash(name)}`;
}

/** Letters that every index of words takes, for text that may hold any characters. */
function shortHash(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

/** Databases disagree about letters beyond ASCII, so their bytes are written as digits. */
function plainWord(word: string): string {
  return /^[a-z0-9]+$/.test(word) ? word : `zq${Buffer.from(word).toString("hex").slice(0, 60)}`;
}

/** Joins words with single spaces, with a space before the first and after the last. */
function spaced(words: readonly string[]): string {
  return words.length === 0 ? "" : ` ${[...new Set(words)].join(" ")} `;
}
