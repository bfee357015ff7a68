import { sql } from "#kysely";
import type { RawBuilder } from "#kysely";
import {
  EVERYWHERE,
  PLACES,
  conditionsOf,
  idOfTerms,
  termClauses,
} from "@sealhouse/nuget-protocol";
import type { Conditions, SearchPage, SearchQuery } from "@sealhouse/nuget-protocol";
import type { Queries } from "../../statements/queries.ts";
import { composeStatement } from "../../statements/statement.ts";
import { allOf, always, not } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import type { Count } from "../../search/count.ts";
import { pageOfRanks } from "../../search/ranked-pages.ts";
import type { RankSource } from "../../search/ranked-pages.ts";
import type { SearchDialect } from "./search-dialect.ts";
import { likeAll } from "./search-like.ts";
import { idIs, idStarts, packageCondition } from "./search-packages.ts";
import { countableRows, namedRows } from "./search-rows.ts";
import type { PackageSet } from "./search-rows.ts";
import type { SearchWay } from "./search-ways.ts";
import { wayOf } from "./search-ways.ts";

/** A package with the version that describes it. */
export type Ranked = { readonly packageId: number; readonly newestId: number };

type RankedPage = { readonly totalHits: number; readonly packages: readonly Ranked[] };

/** Where one way to find a page becomes faster than another. They all find the same. */
export type SearchEffort = {
  /** Up to this many rows, computing ranks is faster than one query per rank. */
  readonly rankedAtOnce: number;
  /** Up to this many rows, sorting is faster than scanning the most downloaded packages. */
  readonly few: number;
  /** Rows of that scan before all matches are sorted after all. */
  readonly walk: number;
};

export const SEARCH_EFFORT: SearchEffort = { rankedAtOnce: 200, few: 1_500, walk: 1_000 };

/** Fields of a package's name, as opposed to its description. */
const CALLED = PLACES.at(-2) ?? [];

/** Finds the packages of one page, best first, and how many there are in all. */
export async function rankedSearch(
  from: Omit<Searcher, "way">,
  query: SearchQuery,
): Promise<RankedPage> {
  const conditions = conditionsOf(query);
  const { filters, terms } = conditions;
  if (filters.some((clause) => clause.length === 0)) return { totalHits: 0, packages: [] };
  const searcher = { ...from, way: wayOf(query) };
  const words = [...filters, ...termClauses(terms, EVERYWHERE)];
  const packages = packageCondition(conditions, searcher.way);
  const all = { words, packages, atMost: Number.POSITIVE_INFINITY };
  const totalHits = await countOf(searcher, all);
  if (totalHits <= query.skip || query.take <= 0) return { totalHits, packages: [] };
  const rank = terms.length === 0 ? undefined : rankExpression(conditions);
  const rankedPackages =
    rank && totalHits >= from.effort.rankedAtOnce
      ? await pageOfRanks(ranksOf(searcher, { conditions, totalHits }), sourceOf(searcher), query)
      : await pageOf(
          searcher,
          { ...all, atMost: totalHits, isMany: true, ...(rank && { rank }) },
          query,
        );
  return { totalHits, packages: rankedPackages };
}

type Searcher = {
  readonly queries: Queries;
  readonly count: Count;
  readonly dialect: SearchDialect;
  readonly effort: SearchEffort;
  readonly way: SearchWay;
};

/** A set with a bound of its size. */
type RankedSet = PackageSet & {
  /** They are not more than this. */
  readonly atMost: number;
  /** They are so many, or most likely are. */
  readonly isMany?: boolean;
  /** First sort key; only for few rows. */
  readonly rank?: RawBuilder<number>;
};

type Ranking = { readonly conditions: Conditions; readonly totalHits: number };

/** The id itself, ids that start with it, and the places for words; none has a package of the one
 * before. */
async function* ranksOf(
  searcher: Searcher,
  { conditions, totalHits: atMost }: Ranking,
): AsyncGenerator<RankedSet, void, undefined> {
  const { filters, terms } = conditions;
  const spelled = idOfTerms(terms) ?? "";
  const base = packageCondition(conditions, searcher.way);
  const [exact, starting] = [idIs(spelled), idStarts(spelled)];
  const wordsIn = (place = EVERYWHERE) => [...filters, ...termClauses(terms, place)];
  yield { words: filters, packages: allOf([base, exact]), isOne: true, atMost: 1 };
  yield {
    words: filters.length === 0 ? [] : wordsIn(PLACES[0]),
    packages: allOf([base, starting, not(exact)]),
    atMost,
  };
  const packages = allOf([base, not(starting)]);
  yield { words: wordsIn(PLACES[0]), packages, atMost };
  // When few rows are left before the last rank, one query computes all their ranks.
  const except = termClauses(terms, PLACES[0] ?? []);
  const called = { words: wordsIn(CALLED), except, packages, atMost };
  const size = await sizeUpToFew(searcher, called);
  const isAtOnce = size < searcher.effort.rankedAtOnce;
  if (size > 0 && isAtOnce) yield { ...called, atMost: size, rank: rankExpression(conditions) };
  for (const [index, place] of PLACES.entries()) {
    const isDone = index === 0 || (isAtOnce && index < PLACES.length - 1);
    if (isDone) continue;
    const before = termClauses(terms, PLACES[index - 1] ?? []);
    const isMany = index === PLACES.length - 1;
    yield { words: wordsIn(place), except: before, packages, atMost, isMany };
  }
}

/** The same ranks as an SQL expression. */
function rankExpression({ terms }: Conditions): RawBuilder<number> {
  const spelled = idOfTerms(terms) ?? "";
  const cases: readonly Condition[] = [
    idIs(spelled),
    idStarts(spelled),
    ...PLACES.slice(0, -1).map((place) => likeAll(termClauses(terms, place))),
  ];
  const whens = cases.map((condition, rank) => sql`when ${condition} then ${sql.lit(rank)}`);
  return sql`case ${sql.join(whens, sql` `)} else ${sql.lit(cases.length)} end`;
}

function sourceOf(searcher: Searcher): RankSource<RankedSet, Ranked> {
  return {
    pageOf: (set, page) => pageOf(searcher, set, page),
    countOf: (set) => countOf(searcher, set),
  };
}

function countOf({ count, dialect, way }: Searcher, set: PackageSet): Promise<number> {
  return count(
    composeStatement((db) =>
      countableRows(db, { dialect, way }, set).select(({ fn }) =>
        fn.countAll<number>().as("total"),
      ),
    ),
  );
}

/** Counts up to the limit of few rows. Uses only the word index when there are words. */
function sizeUpToFew(
  { count, dialect, way, effort }: Searcher,
  packageSet: PackageSet,
): Promise<number> {
  const set = packageSet.words.length === 0 ? packageSet : { ...packageSet, packages: always };
  return count(
    composeStatement((db, own) => {
      const rows = countableRows(db, { dialect, way }, set).select(sql.lit(1).as("one"));
      return db
        .selectFrom(own.limit(rows, sql.lit(effort.few)).as("s"))
        .select(({ fn }) => fn.countAll<number>().as("total"));
    }),
  );
}

/** By rank where it has one, and the most downloaded first. */
async function pageOf(
  searcher: Searcher,
  set: RankedSet,
  page: SearchPage,
): Promise<readonly Ranked[]> {
  const { few } = searcher.effort;
  const size = set.isMany || set.atMost < few ? set.atMost : await sizeUpToFew(searcher, set);
  if (size === 0) return [];
  if (size < few) return sortedPage(searcher, set, page);
  return (await walkedPage(searcher, set, page)) ?? sortedPage(searcher, set, page);
}

/** Looks through the most downloaded packages for those that match: much faster where many do.
 * Undefined when that does not fill the page. */
async function walkedPage(
  { queries, way, effort }: Searcher,
  { words, except = [], packages }: PackageSet,
  { skip, take }: SearchPage,
): Promise<readonly Ranked[] | undefined> {
  const isAll = words.length === 0 && packages === always;
  const statement = composeStatement((db, own) => {
    const walked = db
      .selectFrom("nuget_packages as p")
      .where(way.reference, "is not", null)
      .select(["p.id", "p.lower_id", "p.downloads", way.reference])
      .select(sql.ref<number>(way.reference).as("newest"))
      .orderBy("p.downloads", "desc")
      .orderBy("p.lower_id");
    const rows = db
      .selectFrom(own.limit(walked, sql.lit(isAll ? skip + take : effort.walk)).as("p"))
      .$if(words.length > 0, (some) =>
        some.innerJoin("nuget_search_entries as e", "e.version_id", "p.newest"),
      )
      .where(allOf([packages, likeAll(words, except)]))
      .select(["p.id", "p.newest"])
      .orderBy("p.downloads", "desc")
      .orderBy("p.lower_id");
    return own.limit(rows, sql.val(skip + take));
  });
  const rows = await queries.all(statement, {});
  return rows.length === skip + take ? rows.slice(skip).map(rankedOf) : undefined;
}

/** All that match, put in order. The sign keeps databases from walking an index instead. */
async function sortedPage(
  { queries, dialect, way }: Searcher,
  set: RankedSet,
  { skip, take }: SearchPage,
): Promise<readonly Ranked[]> {
  const { rank } = set;
  const statement = composeStatement((db, own) => {
    const rows = namedRows(db, { dialect, way }, set).select([
      "p.id",
      sql.ref<number>(way.reference).as("newest"),
    ]);
    const sorted = (rank ? rows.orderBy(rank) : rows)
      .orderBy(sql`+p.downloads`, "desc")
      .orderBy("p.lower_id");
    return own.page(sorted, { skip: sql.val(skip), take: sql.val(take) });
  });
  return (await queries.all(statement, {})).map(rankedOf);
}

function rankedOf(row: { readonly id: number; readonly newest: number }): Ranked {
  return { packageId: row.id, newestId: row.newest };
}
