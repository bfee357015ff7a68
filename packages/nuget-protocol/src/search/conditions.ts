import type { HiddenNames } from "@sealhouse/request-types";
import type { IdLimit } from "./id-limit.ts";
import type { SearchFilter } from "./ports.ts";
import { frameworkWord, ownerWord, typeWord } from "./filter-words.ts";
import type { Term, SearchConditions } from "./query.ts";
import { canBePart } from "./words.ts";

/** The columns of words that an index has for each version. */
export const WORD_FIELDS = [
  "filters",
  "idWords",
  "idParts",
  "title",
  "tags",
  "authors",
  "summary",
  "description",
] as const;

/** Field of the index of words. */
export type WordField = (typeof WORD_FIELDS)[number];

/** Consecutive words in one of the fields; with `prefix` the last word may be incomplete. */
export type Phrase = {
  readonly fields: readonly WordField[];
  readonly words: readonly string[];
  readonly prefix: boolean;
};

/** One of these must be there; none can be when there are none. */
export type Clause = readonly Phrase[];

/** Conditions on the id itself, in lower case. */
export type IdConditions = {
  /** One of these must be a part of it. */
  readonly contains?: readonly string[];
  /** One of these must be it. */
  readonly equals?: readonly string[];
  /** Patterns, one of which must cover it. */
  readonly names?: readonly string[];
  /** Ids that the caller must not see. */
  readonly hidden?: HiddenNames;
  /** Leaves out the packages of package sources. */
  readonly ownOnly?: boolean;
};

/** A query, taken apart for those who answer it: all of it must hold. */
export type Conditions = {
  /** Conditions of type, framework and qualifiers on the words. */
  readonly filters: readonly Clause[];
  readonly ids: IdConditions;
  /** The newest version must be one of these normal forms, in lower case; absent: any. */
  readonly versions?: readonly string[];
  readonly terms: readonly Term[];
};

/** Where terms are looked for, best first. Each place holds the one before. */
export const PLACES: readonly (readonly WordField[])[] = [
  ["idWords"],
  ["idWords", "title"],
  ["idWords", "title", "tags"],
  ["idWords", "title", "tags", "authors"],
  ["idWords", "title", "tags", "authors", "summary", "description", "idParts"],
];

/** All fields that a query without a field searches. */
export const EVERYWHERE = PLACES.at(-1) ?? [];

function limitOf({ names, hidden, ownOnly }: IdLimit): IdLimit {
  return {
    ...(names && { names }),
    ...(hidden && { hidden }),
    ...(ownOnly !== undefined && { ownOnly }),
  };
}

/** The conditions of a query, as an index of words evaluates them. */
export function conditionsOf(
  query: SearchFilter & { readonly conditions?: SearchConditions },
): Conditions {
  const { conditions: parsedText, packageType, frameworks = [] } = query;
  const { id, packageid, title, tags, authors, owners, summary, description, version } =
    parsedText?.qualified ?? {};
  return {
    terms: parsedText?.terms ?? [],
    ids: {
      ...(id && { contains: textsOf(id) }),
      ...(packageid && { equals: textsOf(packageid) }),
      ...limitOf(query),
    },
    ...(version && { versions: textsOf(version) }),
    filters: [
      ...(parsedText?.isUnanswerable === true ? [[]] : []),
      ...(packageType === undefined ? [] : [[filter(typeWord(packageType))]]),
      ...frameworks.map((keys) => keys.map((key) => filter(frameworkWord(key)))),
      ...(owners ? [textsOf(owners).map((owner) => filter(ownerWord(owner)))] : []),
      ...(tags
        ? [tags.map(({ words }) => ({ fields: ["tags"], words, prefix: false }) as const)]
        : []),
      ...startingIn("title", title),
      ...startingIn("authors", authors),
      ...startingIn("summary", summary),
      ...startingIn("description", description),
    ],
  };
}

/** Every term, somewhere in the given fields. */
export function termClauses(terms: readonly Term[], fields: readonly WordField[]): Clause[] {
  return terms.map(({ words }) => {
    const within = words.length > 1 || !canBePart(words[0] ?? "");
    const fitting = within ? fields.filter((field) => field !== "idParts") : fields;
    return [{ fields: fitting, words, prefix: true }];
  });
}

/** The id that the terms spell, and that ids may start with: `Acme json` is `acme.json`. */
export function idOfTerms(terms: readonly Term[]): string | undefined {
  return terms.length === 0 ? undefined : terms.map(({ text }) => text).join(".");
}

function startingIn(field: WordField, terms: readonly Term[] | undefined): readonly Clause[] {
  return terms
    ? [terms.map(({ words }): Phrase => ({ fields: [field], words, prefix: true }))]
    : [];
}

function filter(word: string): Phrase {
  return { fields: ["filters"], words: [word], prefix: false };
}

function textsOf(terms: readonly Term[]): readonly string[] {
  return terms.map(({ text }) => text);
}
