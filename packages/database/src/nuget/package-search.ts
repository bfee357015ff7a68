import { ascendingVersions, conditionsOf, parseDetails } from "@sealhouse/nuget-protocol";
import type {
  CompletionQuery,
  DependentsLookup,
  HitVersion,
  PackageSearch,
  SearchFilter,
  SearchHit,
} from "@sealhouse/nuget-protocol";
import type { Connections } from "../transactions/connections.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
import { textList } from "../statements/text-list.ts";
import { RECORD, recordOf } from "./package-lookup.ts";
import { rankedSearch, SEARCH_EFFORT } from "./ranked-search.ts";
import type { Ranked, SearchEffort } from "./ranked-search.ts";
import { countIn } from "./search-count.ts";
import type { Count } from "./search-count.ts";
import type { SearchDialect, Sql } from "./dialect.ts";
import { likeAll } from "./search-like.ts";
import { everyPackage, idStarts, joined, limitSql } from "./search-packages.ts";
import { wayOf } from "./search-ways.ts";

/** Search over the newest versions of each package. Its cost grows with the packages that match and
 * not with their versions. */
export function createPackageSearch(
  { port, queries }: Pick<Connections, "port" | "queries">,
  dialect: SearchDialect,
  {
    effort = SEARCH_EFFORT,
    count = countIn(port),
  }: { readonly effort?: SearchEffort; readonly count?: Count } = {},
): PackageSearch & DependentsLookup {
  return {
    async search(query) {
      const { totalHits, found } = await rankedSearch({ port, count, dialect, effort }, query);
      return { totalHits, hits: await hitsOf(queries, query, found) };
    },
    async idsStartingWith(query) {
      const matching = completing(dialect, query);
      if (!matching) return { totalHits: 0, ids: [] };
      const totalHits = await count(matching.counting);
      if (totalHits <= query.skip || query.take <= 0) return { totalHits, ids: [] };
      const { sql, parameters } = totalHits < effort.few ? matching.few : matching.many;
      const page = `select v.display_id from (
          select p.lower_id, p.${wayOf(query).column} as newest ${sql}
          order by p.lower_id limit ? offset ?
        ) p join nuget_versions v on v.id = p.newest order by p.lower_id`;
      const rows = await port.all({ sql: page }, [...parameters, query.take, query.skip]);
      return { totalHits, ids: rows.map((row) => textOf(row, "display_id")) };
    },
    async dependents(id, { skip, take, ...limit }) {
      const seen = limitSql(limit);
      const isAll = seen === everyPackage;
      const totalHits = await count({
        sql: isAll ? DEPENDENTS_OF : `${DEPENDENTS_FROM} and (${seen.sql})`,
        parameters: [id, ...seen.parameters],
      });
      if (totalHits <= skip || take <= 0) return { totalHits, packages: [] };
      const statement = isAll ? DEPENDENTS : { sql: dependentsSql(`and (${seen.sql})`) };
      const rows = await port.all(statement, [id, ...seen.parameters, take, skip]);
      const packages = rows.map((row) => ({
        id: textOf(row, "display_id"),
        description: parseDetails({ details: textOf(row, "details") }).description,
        downloads: numberOf(row, "downloads"),
      }));
      return { totalHits, packages };
    },
  };
}

const DEPENDENTS_OF = "from nuget_dependencies where dependency_id = ?";
const DEPENDENTS_FROM = `from nuget_dependencies d join nuget_packages p on p.id = d.package_id
  where d.dependency_id = ?`;
const DEPENDENTS: Statement = { name: "nuget-dependents", sql: dependentsSql("") };

function dependentsSql(limit: string): string {
  return `select v.display_id, v.details, p.downloads from (
      select p.lower_id, p.downloads, coalesce(p.newest_stable2, p.newest_any2) as newest
      ${DEPENDENTS_FROM} ${limit} order by p.downloads desc, p.lower_id limit ? offset ?
    ) p join nuget_versions v on v.id = p.newest order by p.downloads desc, p.lower_id`;
}

type Completion = { readonly counting: Sql; readonly few: Sql; readonly many: Sql };

/**
 * Returns `from …` clauses for the packages of a completion, optimized for counting and for small
 * and large pages. Undefined when nothing can match.
 */
function completing(dialect: SearchDialect, query: CompletionQuery): Completion | undefined {
  const { filters } = conditionsOf(query);
  if (filters.some((clause) => clause.length === 0)) return undefined;
  const { column, word } = wayOf(query);
  const prefix = query.prefix.trim().toLowerCase();
  const named = joined(prefix === "" ? everyPackage : idStarts(prefix), limitSql(query));
  if (filters.length === 0) {
    const sql = `from nuget_packages p where p.${column} is not null and ${named.sql}`;
    const all = { sql, parameters: named.parameters };
    return { counting: all, few: all, many: all };
  }
  const passing = [{ fields: ["filters"], words: [word], prefix: false }] as const;
  const versions = dialect.versionsWith([passing, ...filters]);
  const few = {
    sql: `from nuget_packages p where p.${column} in (${versions.sql}) and ${named.sql}`,
    parameters: [...versions.parameters, ...named.parameters],
  };
  const wanted = likeAll(filters);
  const many = {
    sql: `from nuget_packages p join nuget_search_entries e on e.version_id = p.${column}
      where ${named.sql} and ${wanted.sql}`,
    parameters: [...named.parameters, ...wanted.parameters],
  };
  const every = { sql: `from (${versions.sql}) m`, parameters: versions.parameters };
  return { counting: named === everyPackage ? every : few, few, many };
}

async function hitsOf(
  queries: Queries,
  filter: SearchFilter,
  found: readonly Ranked[],
): Promise<readonly SearchHit[]> {
  if (found.length === 0) return [];
  const newest = await newestRows(queries, found);
  const versions = await passingVersions(queries, filter, found);
  return found.flatMap(({ packageId, newestId }): SearchHit[] => {
    const row = newest.get(newestId);
    if (!row) return [];
    const record = recordOf(row);
    const owners = row.owners === null ? [] : textList(row.owners);
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
  found: readonly Ranked[],
): Promise<ReadonlyMap<number, RowOf<typeof NEWEST>>> {
  const rows = await queries.all(NEWEST, { ids: found.map(({ newestId }) => newestId) });
  return new Map(rows.map((row) => [row.id, row]));
}

/** The listed versions of each package that pass the filter. */
async function passingVersions(
  queries: Queries,
  { prerelease, semVer2 }: SearchFilter,
  found: readonly Ranked[],
): Promise<ReadonlyMap<number, readonly HitVersion[]>> {
  const rows = await queries.all(LISTED, { packages: found.map(({ packageId }) => packageId) });
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
