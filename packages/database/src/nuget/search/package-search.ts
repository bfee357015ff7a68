import { ascendingVersions, conditionsOf, parseDetails } from "@sealhouse/nuget-protocol";
import type {
  CompletionQuery,
  Dependent,
  DependentsLookup,
  HitVersion,
  PackageSearch,
  SearchFilter,
  SearchHit,
  SearchPage,
} from "@sealhouse/nuget-protocol";
import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import type { Dialect } from "../../statements/dialects/dialect.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { composeStatement, defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Tables } from "../../statements/tables.ts";
import { listedOwners } from "../../ownership/listed-publisher.ts";
import { RECORD, recordOf } from "../statements/package-lookup.ts";
import { rankedSearch, SEARCH_EFFORT } from "./ranked-search.ts";
import type { Ranked, SearchEffort } from "./ranked-search.ts";
import { allOf, always } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import { countIn } from "../../search/count.ts";
import type { Count } from "../../search/count.ts";
import type { SearchDialect } from "./search-dialect.ts";
import { idStarts, visible } from "./search-packages.ts";
import { countableRows, packagesOf, versionsWith, withWords } from "./search-rows.ts";
import type { CountableRows, PackageRows } from "./search-rows.ts";
import { wayOf } from "./search-ways.ts";

/** Search over the newest versions of each package. Its cost grows with the packages that match and
 * not with their versions. */
export function createPackageSearch(
  queries: Queries,
  dialect: SearchDialect,
  {
    effort = SEARCH_EFFORT,
    count = countIn(queries),
  }: { readonly effort?: SearchEffort; readonly count?: Count } = {},
): PackageSearch & DependentsLookup {
  return {
    async search(query) {
      const { totalHits, packages: rankedPackages } = await rankedSearch(
        { queries, count, dialect, effort },
        query,
      );
      return { totalHits, hits: await hitsOf(queries, query, rankedPackages) };
    },
    async idsStartingWith(query) {
      const matching = completing(dialect, query);
      if (!matching) return { totalHits: 0, ids: [] };
      const totalHits = await count(
        composeStatement((db) =>
          matching.counting(db).select(({ fn }) => fn.countAll<number>().as("total")),
        ),
      );
      if (totalHits <= query.skip || query.take <= 0) return { totalHits, ids: [] };
      const rows = totalHits < effort.few ? matching.few : matching.many;
      const completions = await queries.all(completionPage(rows, query), {});
      return { totalHits, ids: completions.map((row) => row.display_id) };
    },
    async dependents(id, page) {
      const seen = visible(page);
      const totalHits = await count(
        composeStatement((db) =>
          (seen === always
            ? dependencyRows(db, sql.val(id))
            : dependentRows(db, sql.val(id)).where(seen)
          ).select(({ fn }) => fn.countAll<number>().as("total")),
        ),
      );
      const { skip, take } = page;
      if (totalHits <= skip || take <= 0) return { totalHits, packages: [] };
      const rows = await (seen === always
        ? queries.all(DEPENDENTS, { id, skip, take })
        : queries.all(visibleDependents(id, seen, page), {}));
      return { totalHits, packages: rows.map(dependentOf) };
    },
  };
}

type Rows = (db: Kysely<Tables>) => PackageRows;

type Completion = {
  readonly counting: (db: Kysely<Tables>) => CountableRows;
  readonly few: Rows;
  readonly many: Rows;
};

/**
 * Returns the packages of a completion, optimized for counting and for small and large pages.
 * Undefined when nothing can match.
 */
function completing(dialect: SearchDialect, query: CompletionQuery): Completion | undefined {
  const { filters } = conditionsOf(query);
  if (filters.some((clause) => clause.length === 0)) return undefined;
  const way = wayOf(query);
  const prefix = query.prefix.trim().toLowerCase();
  const packages = allOf([prefix === "" ? always : idStarts(prefix), visible(query)]);
  if (filters.length === 0) {
    const all: Rows = (db) => packagesOf(db, way).where(packages);
    return { counting: all, few: all, many: all };
  }
  const few: Rows = (db) =>
    db
      .selectFrom("nuget_packages as p")
      .where(way.reference, "in", sql<number>`(${versionsWith({ dialect, way }, filters)})`)
      .where(packages);
  const many: Rows = (db) =>
    withWords(db.selectFrom("nuget_packages as p"), way, filters).where(packages);
  const every = (db: Kysely<Tables>) =>
    countableRows(db, { dialect, way }, { words: filters, packages });
  return { counting: packages === always ? every : few, few, many };
}

function completionPage(rows: Rows, query: CompletionQuery) {
  const page = { skip: sql.val(query.skip), take: sql.val(query.take) };
  return composeStatement((db, own) => {
    const ids = rows(db)
      .select(["p.lower_id", sql.ref<number>(wayOf(query).reference).as("newest")])
      .orderBy("p.lower_id");
    return db
      .selectFrom(own.page(ids, page).as("p"))
      .innerJoin("nuget_versions as v", "v.id", "p.newest")
      .select("v.display_id")
      .orderBy("p.lower_id");
  });
}

function dependencyRows(db: Kysely<Tables>, id: Expression<string>): CountableRows {
  return db.selectFrom("nuget_dependencies as d").where("d.dependency_id", "=", id);
}

function dependentRows(db: Kysely<Tables>, id: Expression<string>): PackageRows {
  return db
    .selectFrom("nuget_dependencies as d")
    .innerJoin("nuget_packages as p", "p.id", "d.package_id")
    .where("d.dependency_id", "=", id);
}

const DEPENDENTS = defineStatement(
  "nuget-dependents",
  { id: param.text(128), skip: param.whole, take: param.whole },
  (db, { id, skip, take }, own) => dependentsPage(dependentRows(db, id), { db, own, skip, take }),
);

function visibleDependents(id: string, seen: Condition, { skip, take }: SearchPage) {
  const page = { skip: sql.val(skip), take: sql.val(take) };
  return composeStatement((db, own) =>
    dependentsPage(dependentRows(db, sql.val(id)).where(seen), { db, own, ...page }),
  );
}

/** The most downloaded first. Only the rows of the page are joined with their versions. */
function dependentsPage(
  rows: PackageRows,
  page: {
    readonly db: Kysely<Tables>;
    readonly own: Dialect;
    readonly skip: Expression<number>;
    readonly take: Expression<number>;
  },
) {
  const pageQuery = rows
    .select(({ fn }) => [
      "p.lower_id",
      "p.downloads",
      fn.coalesce("p.newest_stable2", "p.newest_any2").as("newest"),
    ])
    .orderBy("p.downloads", "desc")
    .orderBy("p.lower_id");
  return page.db
    .selectFrom(page.own.page(pageQuery, page).as("p"))
    .innerJoin("nuget_versions as v", "v.id", "p.newest")
    .select(["v.display_id", "v.details", "p.downloads"])
    .orderBy("p.downloads", "desc")
    .orderBy("p.lower_id");
}

function dependentOf(row: RowOf<typeof DEPENDENTS>): Dependent {
  const { description } = parseDetails({ details: row.details });
  return { id: row.display_id, description, downloads: row.downloads };
}

async function hitsOf(
  queries: Queries,
  filter: SearchFilter,
  packages: readonly Ranked[],
): Promise<readonly SearchHit[]> {
  if (packages.length === 0) return [];
  const newest = await newestRows(queries, packages);
  const versions = await passingVersions(queries, filter, packages);
  return packages.flatMap(({ packageId, newestId }): SearchHit[] => {
    const row = newest.get(newestId);
    if (!row) return [];
    const record = recordOf(row);
    const owners = listedOwners(row.owners);
    return [{ id: record.id, newest: record, versions: versions.get(packageId) ?? [], owners }];
  });
}

const NEWEST = defineStatement("nuget-search-newest", { ids: param.wholes }, (db, { ids }, own) =>
  db
    .selectFrom("nuget_versions as v")
    .innerJoin("nuget_packages as p", "p.id", "v.package_id")
    .where("v.id", "in", own.wholesIn(ids))
    .select(["v.id", "p.owners", ...RECORD]),
);

/** Little of each version, because there may be thousands. */
const LISTED = defineStatement(
  "nuget-search-listed",
  { packages: param.wholes },
  (db, { packages }, own) =>
    db
      .selectFrom("nuget_versions as v")
      .where("v.package_id", "in", own.wholesIn(packages))
      .where("v.listed", "=", own.yes)
      .select([
        "v.package_id",
        "v.full_version",
        "v.downloads",
        "v.is_prerelease",
        "v.is_sem_ver2",
      ]),
);

async function newestRows(
  queries: Queries,
  packages: readonly Ranked[],
): Promise<ReadonlyMap<number, RowOf<typeof NEWEST>>> {
  const rows = await queries.all(NEWEST, { ids: packages.map(({ newestId }) => newestId) });
  return new Map(rows.map((row) => [row.id, row]));
}

/** The listed versions of each package that pass the filter. */
async function passingVersions(
  queries: Queries,
  { prerelease, semVer2 }: SearchFilter,
  packages: readonly Ranked[],
): Promise<ReadonlyMap<number, readonly HitVersion[]>> {
  const rows = await queries.all(LISTED, { packages: packages.map(({ packageId }) => packageId) });
  const passing = rows.filter(
    (row) => (prerelease || !row.is_prerelease) && (semVer2 || !row.is_sem_ver2),
  );
  const groups = Map.groupBy(passing, (row) => row.package_id);
  return new Map([...groups].map(([id, group]) => [id, ascendingVersions(group.map(versionOf))]));
}

/** The build metadata is all that a full version has more. */
function versionOf(row: RowOf<typeof LISTED>): HitVersion {
  const { full_version: fullVersion, downloads } = row;
  const [version = fullVersion] = fullVersion.split("+");
  return { version, fullVersion, downloads };
}
