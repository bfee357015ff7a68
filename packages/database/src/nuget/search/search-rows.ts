import { sql } from "#kysely";
import type { Kysely, SelectQueryBuilder } from "#kysely";
import type { Clause } from "@sealhouse/nuget-protocol";
import type { Tables } from "../../statements/tables.ts";
import { always } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import type { SearchDialect } from "./search-dialect.ts";
import { likeAll } from "./search-like.ts";
import type { SearchWay } from "./search-ways.ts";

/** Packages by the words of their newest version, and by a condition on `nuget_packages as p`. */
export type PackageSet = {
  readonly words: readonly Clause[];
  /** Excludes packages that match all of these clauses. */
  readonly except?: readonly Clause[];
  readonly packages: Condition;
  /** It is one package at most, and so better asked for its words than the other way round. */
  readonly isOne?: boolean;
};

/** The spelling of word searches, and the version whose words are searched. */
export type WordSearch = { readonly dialect: SearchDialect; readonly way: SearchWay };

/** Rows of packages, as `p`. Search entries have the alias `e` when they are needed. */
export type PackageRows = SelectQueryBuilder<Tables & { p: Tables["nuget_packages"] }, "p", object>;

/** Rows that can only be counted. */
export type CountableRows = SelectQueryBuilder<Tables, never, object>;

/** The packages of a set. */
export function namedRows(db: Kysely<Tables>, search: WordSearch, set: PackageSet): PackageRows {
  const { words, packages, isOne = false } = set;
  if (words.length === 0) return packagesOf(db, search.way).where(packages);
  if (isOne) return withWords(packagesOf(db, search.way), search.way, words).where(packages);
  return db
    .selectFrom(foundVersions(search, set))
    .innerJoin("nuget_search_entries as e", "e.version_id", "m.version_id")
    .innerJoin("nuget_packages as p", "p.id", "e.package_id")
    .where(packages);
}

/** A row for each package of a set. With words alone, only the index of words is read. */
export function countableRows(
  db: Kysely<Tables>,
  search: WordSearch,
  set: PackageSet,
): CountableRows {
  const isIndexed = set.words.length > 0 && set.packages === always && !set.isOne;
  return isIndexed ? db.selectFrom(foundVersions(search, set)) : namedRows(db, search, set);
}

/** All packages with a version that passes. */
export function packagesOf(db: Kysely<Tables>, { reference }: SearchWay): PackageRows {
  return db.selectFrom("nuget_packages as p").where(reference, "is not", null);
}

/** Rows whose newest version has the words; examines every row. */
export function withWords(
  rows: PackageRows,
  { reference }: SearchWay,
  words: readonly Clause[],
): PackageRows {
  return rows
    .innerJoin("nuget_search_entries as e", "e.version_id", reference)
    .where(likeAll(words));
}

/** The versions of a set, as `m`. */
function foundVersions({ dialect, way }: WordSearch, { words, except }: PackageSet) {
  return sql<{ version_id: number }>`(${versionsWith({ dialect, way }, words, except)})`.as("m");
}

/** A select of the versions with the words that are the newest of their package. */
export function versionsWith(
  { dialect, way }: WordSearch,
  words: readonly Clause[],
  except?: readonly Clause[],
) {
  const passing: Clause = [{ fields: ["filters"], words: [way.word], prefix: false }];
  return dialect.versionsWith([passing, ...words], except);
}
