import { compareVersionTexts } from "@sealhouse/nuget-protocol";
import type {
  DependentsLookup,
  PackageRecord,
  PackageSearch,
  SearchQuery,
} from "@sealhouse/nuget-protocol";
import { containing, searchTerms } from "../raw/like.ts";
import type { Parameter, QueryPort } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";
import { RECORD_COLUMNS, recordOf } from "./package-lookup.ts";

/** Sorts after every text that starts with what it is appended to. */
const LAST = "\u{10ffff}";

/** Search by LIKE over one row per package: its newest version that passes the filters. Good for
 * some ten thousand packages; an index of the database's own may take its place behind this. */
export function createPackageSearch(port: QueryPort): PackageSearch & DependentsLookup {
  return {
    async search(query) {
      const { where, parameters } = matching(query);
      const totalHits = await countOf(port, `${candidates(query)} where ${where}`, parameters);
      if (totalHits <= query.skip || query.take <= 0) return { totalHits, hits: [] };
      const wanted = query.text.trim().toLowerCase();
      const sql = `select p.id, v.display_id ${candidates(query)} where ${where}
        order by case when p.lower_id = ? then 0
            when p.lower_id >= ? and p.lower_id < ? then 1
            when p.lower_id like ? escape '!' then 2 else 3 end,
          p.downloads desc, p.lower_id limit ? offset ?`;
      const rank = [wanted, wanted, wanted + LAST, containing(wanted)];
      const page = [...parameters, ...rank, query.take, query.skip];
      const found = (await port.all({ sql }, page)).map((row) => ({
        packageId: numberOf(row, "id"),
        id: textOf(row, "display_id"),
      }));
      const versions = await passingVersions(
        port,
        query,
        found.map((hit) => hit.packageId),
      );
      const hits = found.map(({ packageId, id }) => ({
        id,
        versions: versions.get(packageId) ?? [],
      }));
      return { totalHits, hits };
    },
    dependents: async () => ({ totalHits: 0, packages: [] }),
    async idsStartingWith(query) {
      const prefix = query.text.trim().toLowerCase();
      const type = typeFilter(query);
      const where = `p.lower_id >= ? and p.lower_id < ?${type.sql}`;
      const parameters = [prefix, prefix + LAST, ...type.parameters];
      const totalHits = await countOf(port, `${candidates(query)} where ${where}`, parameters);
      const sql = `select v.display_id ${candidates(query)} where ${where}
        order by p.lower_id limit ? offset ?`;
      const page = [...parameters, Math.max(0, query.take), query.skip];
      const ids = (await port.all({ sql }, page)).map((row) => textOf(row, "display_id"));
      return { totalHits, ids };
    },
  };
}

type Condition = { readonly sql: string; readonly parameters: readonly Parameter[] };

/** Packages with the newest version that passes; the join drops those without one. */
function candidates({ prerelease, semVer2 }: SearchQuery): string {
  const column = `newest_${prerelease ? "any" : "stable"}${semVer2 ? "2" : "1"}`;
  return `from nuget_packages p join nuget_versions v on v.id = p.${column}`;
}

function matching(query: SearchQuery): { where: string; parameters: readonly Parameter[] } {
  const terms = searchTerms(query.text);
  const type = typeFilter(query);
  const where = ["1 = 1", ...terms.map(() => "v.search_text like ? escape '!'")].join(" and ");
  return { where: where + type.sql, parameters: [...terms.map(containing), ...type.parameters] };
}

function typeFilter({ packageType }: SearchQuery): Condition {
  if (packageType === undefined) return { sql: "", parameters: [] };
  return {
    sql: " and v.package_types like ? escape '!'",
    parameters: [containing(JSON.stringify(packageType.toLowerCase()))],
  };
}

async function countOf(
  port: QueryPort,
  from: string,
  parameters: readonly Parameter[],
): Promise<number> {
  const row = await port.one({ sql: `select count(*) as total ${from}` }, parameters);
  return row ? numberOf(row, "total") : 0;
}

async function passingVersions(
  port: QueryPort,
  query: SearchQuery,
  packageIds: readonly number[],
): Promise<ReadonlyMap<number, readonly PackageRecord[]>> {
  const marks = packageIds.map(() => "?").join(", ");
  const filters = [
    query.prerelease ? "" : " and v.is_prerelease = ?",
    query.semVer2 ? "" : " and v.is_sem_ver2 = ?",
  ];
  const sql = `select v.package_id, ${RECORD_COLUMNS} from nuget_versions v
    where v.package_id in (${marks}) and v.listed = ?${filters.join("")}`;
  const no = filters.filter((filter) => filter !== "").map(() => false);
  const rows = await port.all({ sql }, [...packageIds, true, ...no]);
  const groups = Map.groupBy(rows, (row) => numberOf(row, "package_id"));
  return new Map(
    [...groups].map(([id, group]) => [
      id,
      group.map(recordOf).toSorted((one, other) => compareVersionTexts(one.version, other.version)),
    ]),
  );
}
