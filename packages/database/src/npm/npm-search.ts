import type {
  NpmSearch,
  NpmSearchFilter,
  NpmSearchHit,
  NpmSearchQuality,
} from "@sealhouse/npm-protocol";
import { containing, searchTerms } from "../raw/like.ts";
import { marks } from "../raw/lists.ts";
import type { DatabaseConfig } from "../connection-string.ts";
import type { QueryPort, Row } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textListOf, textOf, timeOf } from "../raw/row.ts";
import type { Condition } from "./name-limit.ts";
import { nameLimit } from "./name-limit.ts";
import { maintainersOf } from "./package-access.ts";

/** Search by LIKE over the version that each package's `latest` points to. */
export function createNpmSearch(port: QueryPort, type: DatabaseConfig["type"]): NpmSearch {
  return {
    async search({ from, size, ...filter }) {
      const conditions = [...conditionsOf(filter), ...nameLimit(type, filter)];
      const where = ["t.tag = 'latest'", ...conditions.map(({ sql }) => sql)].join(" and ");
      const given = conditions.flatMap(({ parameters }) => parameters);
      const source = `from npm_tags t
        join npm_packages p on p.id = t.package_id
        join npm_versions v on v.id = t.version_id
        where ${where}`;
      const counted = await port.one({ sql: `select count(*) as total ${source}` }, given);
      const columns = `p.name, p.maintainers, v.version, v.description, v.keywords,
        v.published_at, v.manifest, v.deprecated`;
      const rank = rankBy(filter);
      const sql = `select ${columns} ${source} order by ${rank.sql}, p.name limit ? offset ?`;
      const page = [...rank.parameters, Math.max(0, size), from];
      const rows = await port.all({ sql }, [...given, ...page]);
      const dependents = await dependentsOf(port, rows);
      return {
        total: counted ? numberOf(counted, "total") : 0,
        hits: rows.map((row) => hitOf(row, dependents)),
      };
    },
  };
}

/** SQL equivalent of `rankOf`. */
function rankBy({ text, boostExact = true }: NpmSearchFilter): Condition {
  const called = text.toLowerCase();
  const holds = "when lower(p.name) like ? escape '!' then 1 else 2 end";
  return boostExact
    ? {
        sql: `case when lower(p.name) = ? then 0 ${holds}`,
        parameters: [called, containing(called)],
      }
    : { sql: `case ${holds}`, parameters: [containing(called)] };
}

/** Returns numbers of dependents by lower-case name; names without dependents have no entry. */
async function dependentsOf(
  port: QueryPort,
  hits: readonly Row[],
): Promise<ReadonlyMap<string, number>> {
  const names = hits.map((row) => textOf(row, "name").toLowerCase());
  if (names.length === 0) return new Map();
  const sql = `select dependency_name, count(*) as total from npm_dependencies
    where dependency_name in (${marks(names.length)}) group by dependency_name`;
  const rows = await port.all({ sql }, names);
  return new Map(rows.map((row) => [textOf(row, "dependency_name"), numberOf(row, "total")]));
}

function conditionsOf(filter: NpmSearchFilter): readonly Condition[] {
  const { text, keywords = [], scope, maintainers = [], without = [], only = [] } = filter;
  return [
    ...searchTerms(text).map((term) => like("v.search_text", containing(term))),
    ...keywords.map(oneOf),
    // `like` may not tell letter case apart; a scope is in lower case anyway.
    ...(scope === undefined ? [] : [like("p.name", containing(`${scope}/`).slice(1))]),
    ...maintainers.map((name) =>
      like("p.maintainers", containing(`"name":${JSON.stringify(name)}`)),
    ),
    ...without.map((what) => LEAVES_OUT[what]),
    ...only.map((what) => LEAVES_IN[what]),
  ];
}

const LEAVES_OUT = {
  deprecated: { sql: "v.deprecated is null", parameters: [] },
  unstable: { sql: "v.version not like '%-%' and v.version not like '0.%'", parameters: [] },
} as const satisfies Record<NpmSearchQuality, Condition>;

const LEAVES_IN = {
  deprecated: { sql: "v.deprecated is not null", parameters: [] },
  unstable: { sql: "(v.version like '%-%' or v.version like '0.%')", parameters: [] },
} as const satisfies Record<NpmSearchQuality, Condition>;

/** Keywords are a JSON list, so a complete keyword is between quotes. */
function oneOf(group: readonly string[]): Condition {
  const each = group.map((keyword) =>
    like("lower(v.keywords)", containing(JSON.stringify(keyword.toLowerCase()))),
  );
  const sql = `(${each.map((condition) => condition.sql).join(" or ")})`;
  return { sql, parameters: each.flatMap(({ parameters }) => parameters) };
}

function like(column: string, pattern: string): Condition {
  return { sql: `${column} like ? escape '!'`, parameters: [pattern] };
}

function hitOf(row: Row, dependents: ReadonlyMap<string, number>): NpmSearchHit {
  const name = textOf(row, "name");
  const maintainers = maintainersOf(row);
  const deprecated = optionalTextOf(row, "deprecated");
  return {
    name,
    dependents: dependents.get(name.toLowerCase()) ?? 0,
    version: textOf(row, "version"),
    description: textOf(row, "description"),
    keywords: textListOf(row, "keywords"),
    publishedAt: timeOf(row, "published_at"),
    manifest: textOf(row, "manifest"),
    ...(deprecated !== undefined && { deprecated }),
    ...(maintainers && { maintainers }),
  };
}
