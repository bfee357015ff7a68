import { sql } from "#kysely";
import type { SelectQueryBuilder } from "#kysely";
import type { NameLimit, NpmSearchFilter, OriginLimit } from "@sealhouse/npm-protocol";
import { containing } from "../../raw/like.ts";
import { allOf, always, not } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import { pageOfRanks } from "../../search/ranked-pages.ts";
import type { PageRange, RankSource } from "../../search/ranked-pages.ts";
import type { Queries } from "../../statements/queries.ts";
import { composeStatementWith } from "../../statements/statement.ts";
import type { Tables } from "../../statements/tables.ts";
import type { TypedStatement } from "../../statements/typed-statement.ts";
import { hiddenValues } from "../../visibility/hidden-names.ts";
import { namePatterns } from "../name-limit.ts";
import type { NpmClause, NpmConditions } from "./npm-words.ts";
import { LIMITS, limitCondition } from "./search-limits.ts";
import type { Composing } from "./search-limits.ts";
import { likeAll } from "./word-match.ts";
import type { WordMatch } from "./word-match.ts";

export type LimitedFilter = NpmSearchFilter & NameLimit & OriginLimit;

/** Where one way to find a page becomes faster than another. They all find the same. */
export type NpmSearchEffort = {
  /** Up to this many rows, sorting is faster than reading the names of the packages in order. */
  readonly few: number;
  /** The same where their words must be read, too. */
  readonly fewWithWords: number;
  /** Rows that are read in order before all matches are sorted after all. */
  readonly walk: number;
  /** The same where only names are read. */
  readonly walkNames: number;
};

export const NPM_SEARCH_EFFORT: NpmSearchEffort = {
  few: 1_500,
  fewWithWords: 4_000,
  walk: 2_000,
  walkNames: 10_000,
};

/** A search, and how its database answers it. */
export type NpmSearcher = {
  readonly queries: Pick<Queries, "one" | "all">;
  readonly match: WordMatch;
  readonly effort: NpmSearchEffort;
  readonly filter: LimitedFilter;
  readonly conditions: NpmConditions & { readonly clauses: readonly NpmClause[] };
};

/** The relation of a name to the text of the search. */
type NameRank = "exact" | "contains" | "others";

/** Packages of one rank. */
type RankedSet = {
  readonly words: readonly NpmClause[];
  readonly rank?: NameRank;
  /** Words that the name does not imply. */
  readonly unimplied: readonly NpmClause[];
};

type Entries = SelectQueryBuilder<Tables & { e: Tables["npm_search_entries"] }, "e", object>;

/** Counts the packages of a search, up to a limit. */
export function countPackages(searcher: NpmSearcher, max: number): Promise<number> {
  const { clauses } = searcher.conditions;
  return countUpTo(searcher, { words: clauses, unimplied: clauses }, { max });
}

/** Returns the ids of the packages on a page, in order. `atMost`: a number of packages that match,
 * or infinite. */
export async function pageOfPackages(
  searcher: NpmSearcher,
  atMost: number,
  page: PageRange,
): Promise<readonly number[]> {
  const { clauses } = searcher.conditions;
  const all = { words: clauses, unimplied: clauses };
  const isRanked = searcher.filter.text !== "";
  if (atMost < searcher.effort.few) return sortedPage(searcher, all, { ...page, isRanked });
  const source: RankSource<RankedSet, number> = {
    pageOf: (set, part) => pageOfSet(searcher, set, part),
    countOf: (set) => countUpTo(searcher, set, { max: page.skip + page.take }),
  };
  const ranks: readonly RankedSet[] = isRanked ? ranksOf(searcher) : [all];
  return pageOfRanks(ranks, source, page);
}

/** The order of `rankOf`. A name with the text has its words, so that the name alone tells. */
function ranksOf({ filter, conditions }: NpmSearcher): readonly RankedSet[] {
  const { clauses, filters, termsIn } = conditions;
  const { text, boostExact = true } = filter;
  const all = { words: clauses, unimplied: clauses };
  // No name has a blank.
  if (/\s/.test(text)) return [all];
  const named = { words: [...filters, ...termsIn(["name"])], unimplied: filters };
  return [
    ...(boostExact ? [{ ...all, rank: "exact" } as const] : []),
    { ...named, rank: "contains" },
    { ...all, rank: "others" },
  ];
}

async function pageOfSet(
  searcher: NpmSearcher,
  set: RankedSet,
  page: PageRange,
): Promise<readonly number[]> {
  const { effort } = searcher;
  if (set.rank === "exact") return exactPage(searcher, set, page);
  const few = set.rank === "contains" ? effort.few : effort.fewWithWords;
  const size = await countUpTo(searcher, set, { max: few, byWords: true });
  if (size === 0) return [];
  if (size < few) return sortedPage(searcher, set, page);
  return (await walkedPage(searcher, set, page)) ?? sortedPage(searcher, set, page);
}

/** `byWords`: counts all with the words, which reads only their index where there are words. */
async function countUpTo(
  searcher: NpmSearcher,
  set: RankedSet,
  { max, byWords = false }: { readonly max: number; readonly byWords?: boolean },
): Promise<number> {
  const statement = composeStatementWith(LIMITS, (db, parameters, own) => {
    const composing = { db, parameters, own };
    const isBare = byWords || conditionOf(searcher, set, composing) === always;
    const rows = isBare ? bareRows(searcher, set, composing) : entriesOf(searcher, set, composing);
    const some = own.limit(rows.select(sql.lit(1).as("one")), sql.lit(max));
    return db.selectFrom(some.as("s")).select(({ fn }) => fn.countAll<number>().as("total"));
  });
  return (await searcher.queries.one(statement, valuesOf(searcher.filter)))?.total ?? 0;
}

/** Finds at most two rows by their name, and then looks at their words. */
async function exactPage(
  searcher: NpmSearcher,
  set: RankedSet,
  page: PageRange,
): Promise<readonly number[]> {
  const { except } = searcher.conditions;
  const statement = composeStatementWith(LIMITS, (db, parameters, own) =>
    own.page(
      db
        .selectFrom("npm_search_entries as e")
        .where(conditionOf(searcher, set, { db, parameters, own }))
        .where(likeAll(set.words, except))
        .select("e.package_id")
        .orderBy("e.name"),
      valued(page),
    ),
  );
  return idsOf(searcher, statement);
}

/** All that match, put in order. */
async function sortedPage(
  searcher: NpmSearcher,
  set: RankedSet,
  { isRanked = false, ...page }: PageRange & { readonly isRanked?: boolean },
): Promise<readonly number[]> {
  const statement = composeStatementWith(LIMITS, (db, parameters, own) => {
    const rows = entriesOf(searcher, set, { db, parameters, own }).select("e.package_id");
    const ranked = isRanked ? rows.orderBy(rankExpression(searcher.filter)) : rows;
    return own.page(ranked.orderBy("e.name"), valued(page));
  });
  return idsOf(searcher, statement);
}

/** Reads packages by name until the page is full: much faster where many match. Undefined when that
 * does not fill the page. */
async function walkedPage(
  searcher: NpmSearcher,
  set: RankedSet,
  { skip, take }: PageRange,
): Promise<readonly number[] | undefined> {
  const { effort, conditions } = searcher;
  const words = likeAll(set.unimplied, conditions.except);
  const statement = composeStatementWith(LIMITS, (db, parameters, own) => {
    const condition = allOf([conditionOf(searcher, set, { db, parameters, own }), words]);
    const rows = condition === always ? skip + take : effort.walkNames;
    const walked = db
      .selectFrom("npm_search_entries as e")
      .select(["e.package_id", "e.name"])
      .$if(words !== always, (some) => some.select(["e.filters", "e.name_words", "e.text_words"]))
      .orderBy("e.name");
    const read = own.limit(walked, sql.lit(words === always ? rows : effort.walk)).as("e");
    const found = db.selectFrom(read).where(condition).select("e.package_id").orderBy("e.name");
    return own.limit(found, sql.val(skip + take));
  });
  const ids = await idsOf(searcher, statement);
  return ids.length === skip + take ? ids.slice(skip) : undefined;
}

function entriesOf(searcher: NpmSearcher, set: RankedSet, composing: Composing): Entries {
  const { db } = composing;
  const entries =
    set.words.length === 0
      ? db.selectFrom("npm_search_entries as e")
      : db
          .selectFrom(foundBy(searcher, set))
          .innerJoin("npm_search_entries as e", "e.package_id", "m.package_id");
  return (entries as Entries).where(conditionOf(searcher, set, composing));
}

/** A row for each package with the words, also for those that the caller may not see. */
function bareRows(searcher: NpmSearcher, set: RankedSet, { db }: Composing): Entries {
  const rows =
    set.words.length > 0
      ? db.selectFrom(foundBy(searcher, set))
      : db.selectFrom("npm_search_entries as e");
  return rows as unknown as Entries;
}

/** The packages that the index of words finds, as `m`. */
function foundBy({ match, conditions }: NpmSearcher, { words }: RankedSet) {
  return sql<{ package_id: number }>`(${match(words, conditions.except)})`.as("m");
}

function conditionOf(
  { filter }: NpmSearcher,
  { rank }: RankedSet,
  composing: Composing,
): Condition {
  const limit = limitCondition(filter, composing);
  if (rank === undefined) return limit;
  if (rank === "exact") return allOf([isExact(filter), limit]);
  const { boostExact = true } = filter;
  if (rank === "others") return allOf([not(contains(filter)), limit]);
  return allOf([contains(filter), boostExact ? not(isExact(filter)) : always, limit]);
}

function rankExpression(filter: LimitedFilter) {
  const { boostExact = true } = filter;
  const exact = boostExact ? sql`when ${isExact(filter)} then 0` : sql``;
  return sql<number>`case ${exact} when ${contains(filter)} then 1 else 2 end`;
}

function isExact({ text }: LimitedFilter): Condition {
  return sql`e.name in (${text}, ${text.toLowerCase()})`;
}

function contains({ text }: LimitedFilter): Condition {
  return sql`lower(e.name) like ${containing(text.toLowerCase())} escape '!'`;
}

function valuesOf({ names, hidden, notFrom = [] }: LimitedFilter) {
  return { ...namePatterns(names ?? []), ...hiddenValues(hidden), notFrom };
}

function valued({ skip, take }: PageRange) {
  return { skip: sql.val(skip), take: sql.val(take) };
}

async function idsOf(
  { queries, filter }: NpmSearcher,
  statement: TypedStatement<typeof LIMITS, { readonly package_id: number }>,
): Promise<readonly number[]> {
  const rows = await queries.all(statement, valuesOf(filter));
  return rows.map((row) => row.package_id);
}
