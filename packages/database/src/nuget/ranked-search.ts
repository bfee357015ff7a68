import {
  EVERYWHERE,
  PLACES,
  conditionsOf,
  idOfTerms,
  termClauses,
} from "@sealhouse/nuget-protocol";
import type { Clause, Conditions, SearchPage, SearchQuery } from "@sealhouse/nuget-protocol";
import type { QueryPort, Row } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import type { Count } from "./search-count.ts";
import type { SearchDialect, Sql } from "./dialect.ts";
import { likeAll } from "./search-like.ts";
import { everyPackage, idIs, idStarts, joined, not, packageSql } from "./search-packages.ts";
import type { SearchWay } from "./search-ways.ts";
import { wayOf } from "./search-ways.ts";

/** A package with the version that describes it. */
export type Ranked = { readonly packageId: number; readonly newestId: number };

type Found = { readonly totalHits: number; readonly found: readonly Ranked[] };

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
): Promise<Found> {
  const conditions = conditionsOf(query);
  const { filters, terms } = conditions;
  if (filters.some((clause) => clause.length === 0)) return { totalHits: 0, found: [] };
  const searcher = { ...from, way: wayOf(query) };
  const words = [...filters, ...termClauses(terms, EVERYWHERE)];
  const packages = packageSql(conditions, searcher.way);
  const all = { words, packages, atMost: Number.POSITIVE_INFINITY };
  const totalHits = await countOf(searcher, all);
  if (totalHits <= query.skip || query.take <= 0) return { totalHits, found: [] };
  const rank = terms.length === 0 ? undefined : rankSql(conditions);
  const found =
    rank && totalHits >= from.effort.rankedAtOnce
      ? await pageOfRanks(searcher, { conditions, totalHits }, query)
      : await pageOf(
          searcher,
          { ...all, atMost: totalHits, isMany: true, ...(rank && { rank }) },
          query,
        );
  return { totalHits, found };
}

type Searcher = {
  readonly port: QueryPort;
  readonly count: Count;
  readonly dialect: SearchDialect;
  readonly effort: SearchEffort;
  readonly way: SearchWay;
};

/** Packages by the words of their newest version, and by what `nuget_packages as p` says. */
type PackageSet = {
  readonly words: readonly Clause[];
  /** Excludes packages that match all of these clauses. */
  readonly except?: readonly Clause[];
  readonly packages: Sql;
  /** It is one package at most, and so better asked for its words than the other way round. */
  readonly isOne?: boolean;
  /** They are not more than this. */
  readonly atMost: number;
  /** They are so many, or most likely are. */
  readonly isMany?: boolean;
  /** First sort key; only for few rows. */
  readonly rank?: Sql;
};

type Ranking = { readonly conditions: Conditions; readonly totalHits: number };

/** Queries rank after rank until the page is full, which skips the search for weak matches. */
async function pageOfRanks(
  searcher: Searcher,
  ranking: Ranking,
  { skip, take }: SearchPage,
): Promise<readonly Ranked[]> {
  const found: Ranked[] = [];
  let passed = 0;
  for await (const set of ranksOf(searcher, ranking)) {
    const page = { skip: Math.max(0, skip - passed), take: take - found.length };
    const rows = await pageOf(searcher, set, page);
    found.push(...rows);
    if (found.length === take) break;
    // All remaining rows of this rank are on the page, unless they end before it begins.
    const hasNone = rows.length === 0 && page.skip > 0;
    passed += hasNone ? await countOf(searcher, set) : page.skip + rows.length;
  }
  return found;
}

/** The id itself, ids that start with it, and the places for words; none has a package of the one
 * before. */
async function* ranksOf(
  searcher: Searcher,
  { conditions, totalHits: atMost }: Ranking,
): AsyncGenerator<PackageSet, void, undefined> {
  const { filters, terms } = conditions;
  const spelled = idOfTerms(terms) ?? "";
  const base = packageSql(conditions, searcher.way);
  const [exact, starting] = [idIs(spelled), idStarts(spelled)];
  const wordsIn = (place = EVERYWHERE) => [...filters, ...termClauses(terms, place)];
  yield { words: filters, packages: joined(base, exact), isOne: true, atMost: 1 };
  yield {
    words: filters.length === 0 ? [] : wordsIn(PLACES[0]),
    packages: joined(base, starting, not(exact)),
    atMost,
  };
  const packages = joined(base, not(starting));
  yield { words: wordsIn(PLACES[0]), packages, atMost };
  // When few rows are left before the last rank, one query computes all their ranks.
  const except = termClauses(terms, PLACES[0] ?? []);
  const called = { words: wordsIn(CALLED), except, packages, atMost };
  const size = await sizeUpToFew(searcher, called);
  const isAtOnce = size < searcher.effort.rankedAtOnce;
  if (size > 0 && isAtOnce) yield { ...called, atMost: size, rank: rankSql(conditions) };
  for (const [index, place] of PLACES.entries()) {
    const isDone = index === 0 || (isAtOnce && index < PLACES.length - 1);
    if (isDone) continue;
    const before = termClauses(terms, PLACES[index - 1] ?? []);
    const isMany = index === PLACES.length - 1;
    yield { words: wordsIn(place), except: before, packages, atMost, isMany };
  }
}

/** The same ranks as an SQL expression. */
function rankSql({ terms }: Conditions): Sql {
  const spelled = idOfTerms(terms) ?? "";
  const cases = [
    idIs(spelled),
    idStarts(spelled),
    ...PLACES.slice(0, -1).map((place) => likeAll(termClauses(terms, place))),
  ];
  const whens = cases.map(({ sql }, index) => `when ${sql} then ${index}`);
  return {
    sql: `case ${whens.join(" ")} else ${cases.length} end, `,
    parameters: cases.flatMap(({ parameters }) => parameters),
  };
}

function countOf({ count, ...searcher }: Searcher, set: PackageSet): Promise<number> {
  return count(rowsOf(searcher, set));
}

/** Counts up to the limit of few rows. Uses only the word index when there are words. */
function sizeUpToFew({ count, ...searcher }: Searcher, set: PackageSet): Promise<number> {
  const { sql, parameters } = rowsOf(
    searcher,
    set.words.length === 0 ? set : { ...set, packages: everyPackage },
  );
  const some = `select 1 as one ${sql} limit ${searcher.effort.few}`;
  return count({ sql: `from (${some}) s`, parameters });
}

/** By rank where it has one, and the most downloaded first. */
async function pageOf(
  searcher: Searcher,
  set: PackageSet,
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
  { port, way, effort }: Searcher,
  { words, except = [], packages }: PackageSet,
  { skip, take }: SearchPage,
): Promise<readonly Ranked[] | undefined> {
  const isAll = words.length === 0 && packages === everyPackage;
  const wanted = likeAll(words);
  const refused = except.length === 0 ? undefined : likeAll(except);
  const sql = `select p.id, p.newest from (
      select p.id, p.lower_id, p.downloads, p.${way.column}, p.${way.column} as newest
      from nuget_packages p
      where p.${way.column} is not null order by p.downloads desc, p.lower_id
      limit ${isAll ? skip + take : effort.walk}
    ) p ${words.length === 0 ? "" : "join nuget_search_entries e on e.version_id = p.newest"}
    where ${packages.sql} and ${wanted.sql}${refused ? ` and not (${refused.sql})` : ""}
    order by p.downloads desc, p.lower_id limit ?`;
  const given = [...packages.parameters, ...wanted.parameters, ...(refused?.parameters ?? [])];
  const rows = await port.all({ sql }, [...given, skip + take]);
  return rows.length === skip + take ? rows.slice(skip).map(rankedOf) : undefined;
}

/** All that match, put in order. The sign keeps databases from walking an index instead. */
async function sortedPage(
  { port, ...searcher }: Searcher,
  set: PackageSet,
  { skip, take }: SearchPage,
): Promise<readonly Ranked[]> {
  const rows = rowsOf(searcher, set, { named: true });
  const rank = set.rank ?? { sql: "", parameters: [] };
  const sql = `select p.id, p.${searcher.way.column} as newest ${rows.sql}
    order by ${rank.sql}+p.downloads desc, p.lower_id limit ? offset ?`;
  const parameters = [...rows.parameters, ...rank.parameters, take, skip];
  return (await port.all({ sql }, parameters)).map(rankedOf);
}

/**
 * Returns the `from …` clause. Packages have the alias `p`, and search entries `e` when they are
 * needed.
 */
function rowsOf(
  { dialect, way }: Pick<Searcher, "dialect" | "way">,
  { words, except, packages, isOne = false }: PackageSet,
  { named = false }: { readonly named?: boolean } = {},
): Sql {
  if (words.length === 0) {
    const sql = `from nuget_packages p where p.${way.column} is not null and ${packages.sql}`;
    return { sql, parameters: packages.parameters };
  }
  if (isOne) {
    const wanted = likeAll(words);
    return {
      sql: `from nuget_packages p join nuget_search_entries e on e.version_id = p.${way.column}
        where ${packages.sql} and ${wanted.sql}`,
      parameters: [...packages.parameters, ...wanted.parameters],
    };
  }
  const passing: Clause = [{ fields: ["filters"], words: [way.word], prefix: false }];
  const versions = dialect.versionsWith([passing, ...words], except);
  if (!named && packages === everyPackage) {
    return { sql: `from (${versions.sql}) m`, parameters: versions.parameters };
  }
  return {
    sql: `from (${versions.sql}) m join nuget_search_entries e on e.version_id = m.version_id
      join nuget_packages p on p.id = e.package_id where ${packages.sql}`,
    parameters: [...versions.parameters, ...packages.parameters],
  };
}

function rankedOf(row: Row): Ranked {
  return { packageId: numberOf(row, "id"), newestId: numberOf(row, "newest") };
}
