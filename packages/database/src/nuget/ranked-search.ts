import {
  EVERYWHERE,
  PLACES,
  conditionsOf,
  idOfTerms,
  termClauses,
} from "@sealhouse/nuget-protocol";
import type { Clause, Conditions, SearchPage, SearchQuery } from "@sealhouse/nuget-protocol";
import type { QueryPort } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import type { SearchDialect, Sql } from "./search-dialect.ts";
import { likeAll } from "./search-like.ts";
import { everyPackage, idIs, idSql, idStarts, joined, not } from "./search-packages.ts";
import type { SearchWay } from "./search-ways.ts";
import { wayOf } from "./search-ways.ts";

/** A package with the version that describes it. */
export type Ranked = { readonly packageId: number; readonly newestId: number };

/** So many rows are put in order faster than the most downloaded packages are looked through. */
const FEW = 1_500;
/** How far to look through them before all that match are put in order after all. */
const WALK_MAX = 1_000;

/** Finds the packages of one page, best first, and how many there are in all. */
export async function rankedSearch(
  port: QueryPort,
  dialect: SearchDialect,
  query: SearchQuery,
): Promise<{ readonly totalHits: number; readonly found: readonly Ranked[] }> {
  const conditions = conditionsOf(query);
  const { filters, terms } = conditions;
  if (filters.some((clause) => clause.length === 0)) return { totalHits: 0, found: [] };
  const searcher = { port, dialect, way: wayOf(query) };
  const all: PackageSet = {
    words: [...filters, ...termClauses(terms, EVERYWHERE)],
    packages: idSql(conditions.ids),
  };
  const totalHits = await countOf(searcher, all);
  if (totalHits <= query.skip || query.take <= 0) return { totalHits, found: [] };
  if (terms.length === 0) return { totalHits, found: await pageOf(searcher, all, query) };
  const found =
    totalHits < FEW
      ? await sortedPage(searcher, { set: all, page: query, rank: rankSql(conditions) })
      : await pageOfRanks(searcher, conditions, query);
  return { totalHits, found };
}

type Searcher = {
  readonly port: QueryPort;
  readonly dialect: SearchDialect;
  readonly way: SearchWay;
};

/** Packages by the words of their newest version, and by what `nuget_packages as p` says. */
type PackageSet = {
  readonly words: readonly Clause[];
  /** Those with all of these words are left out. */
  readonly except?: readonly Clause[];
  readonly packages: Sql;
};

/** Rank after rank, until the page is full: what only a few match need not be looked for. */
async function pageOfRanks(
  searcher: Searcher,
  conditions: Conditions,
  { skip, take }: SearchPage,
): Promise<readonly Ranked[]> {
  const found: Ranked[] = [];
  let passed = 0;
  for (const set of ranksOf(conditions)) {
    const page = { skip: Math.max(0, skip - passed), take: take - found.length };
    const rows = await pageOf(searcher, set, page);
    found.push(...rows);
    if (found.length === take) break;
    // All that were left of this rank came, unless its rows end before the page begins.
    passed += rows.length > 0 ? page.skip + rows.length : await countOf(searcher, set);
  }
  return found;
}

/** The id itself, ids that start with it, and the places for words; none has a package of the one
 * before. */
function ranksOf({ filters, terms, ids }: Conditions): readonly PackageSet[] {
  const spelled = idOfTerms(terms) ?? "";
  const base = idSql(ids);
  const others = joined(base, not(idStarts(spelled)));
  return [
    { words: filters, packages: joined(base, idIs(spelled)) },
    { words: filters, packages: joined(base, idStarts(spelled), not(idIs(spelled))) },
    ...PLACES.map((place, index): PackageSet => {
      const before = PLACES[index - 1];
      return {
        words: [...filters, ...termClauses(terms, place)],
        ...(before && { except: termClauses(terms, before) }),
        packages: others,
      };
    }),
  ];
}

/** The same ranks as numbers, for rows that are looked at anyway. */
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

async function countOf({ port, ...searcher }: Searcher, set: PackageSet): Promise<number> {
  const { sql, parameters } = rowsOf(searcher, set);
  const row = await port.one({ sql: `select count(*) as total ${sql}` }, parameters);
  return row ? numberOf(row, "total") : 0;
}

async function isFew({ port, ...searcher }: Searcher, set: PackageSet): Promise<boolean> {
  const { sql, parameters } = rowsOf(searcher, set);
  const counted = `select count(*) as total from (select 1 as one ${sql} limit ${FEW}) s`;
  const row = await port.one({ sql: counted }, parameters);
  return row !== undefined && numberOf(row, "total") < FEW;
}

/** The most downloaded first. */
async function pageOf(
  searcher: Searcher,
  set: PackageSet,
  page: SearchPage,
): Promise<readonly Ranked[]> {
  if (await isFew(searcher, set)) return sortedPage(searcher, { set, page });
  if (set.words.length === 0) return sortedPage(searcher, { set, page, byIndex: true });
  return (await walkedPage(searcher, set, page)) ?? sortedPage(searcher, { set, page });
}

/** All that match, put in order: by the index that has them in it, or else by sorting, from which
 * the sign keeps databases that believe the index to be the better way. */
async function sortedPage(
  searcher: Searcher,
  how: {
    readonly set: PackageSet;
    readonly page: SearchPage;
    readonly rank?: Sql;
    readonly byIndex?: boolean;
  },
): Promise<readonly Ranked[]> {
  const { set, page, rank = { sql: "", parameters: [] }, byIndex = false } = how;
  const rows = rowsOf(searcher, set, { named: true });
  const sql = `select p.id, p.${searcher.way.column} as newest ${rows.sql}
    order by ${rank.sql}${byIndex ? "" : "+"}p.downloads desc, p.lower_id limit ? offset ?`;
  const parameters = [...rows.parameters, ...rank.parameters, page.take, page.skip];
  return ranked(searcher, { sql, parameters });
}

/** Looks through the most downloaded packages for those that match: much faster where many do.
 * Undefined when that does not fill the page. */
async function walkedPage(
  searcher: Searcher,
  { words, except = [], packages }: PackageSet,
  { skip, take }: SearchPage,
): Promise<readonly Ranked[] | undefined> {
  const { column } = searcher.way;
  const wanted = likeAll(words);
  const refused = except.length === 0 ? undefined : likeAll(except);
  const sql = `select p.id, p.newest from (
      select p.id, p.lower_id, p.downloads, p.${column} as newest from nuget_packages p
      where p.${column} is not null and ${packages.sql}
      order by p.downloads desc, p.lower_id limit ${WALK_MAX}
    ) p join nuget_search_entries e on e.version_id = p.newest
    where ${wanted.sql}${refused ? ` and not (${refused.sql})` : ""}
    order by p.downloads desc, p.lower_id limit ?`;
  const parameters = [...packages.parameters, ...wanted.parameters];
  const rows = await ranked(searcher, {
    sql,
    parameters: [...parameters, ...(refused?.parameters ?? []), skip + take],
  });
  return rows.length === skip + take ? rows.slice(skip) : undefined;
}

/** `from …`; the packages are `p` in it and their words `e` when they are asked for, or when they
 * decide. */
function rowsOf(
  { dialect, way }: Pick<Searcher, "dialect" | "way">,
  { words, except, packages }: PackageSet,
  { named = false }: { readonly named?: boolean } = {},
): Sql {
  if (words.length === 0) {
    const sql = `from nuget_packages p where p.${way.column} is not null and ${packages.sql}`;
    return { sql, parameters: packages.parameters };
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

async function ranked({ port }: Searcher, { sql, parameters }: Sql): Promise<readonly Ranked[]> {
  return (await port.all({ sql }, parameters)).map((row) => ({
    packageId: numberOf(row, "id"),
    newestId: numberOf(row, "newest"),
  }));
}
