import { idFormsOf } from "@sealhouse/nuget-protocol";
import type { Conditions, IdLimit } from "@sealhouse/nuget-protocol";
import { containing, escapeLike } from "../raw/like.ts";
import type { Sql } from "./dialect.ts";
import type { SearchWay } from "./search-ways.ts";

// Conditions on `nuget_packages as p`.

/** Sorts after every text with the same prefix. */
const LAST = "\u{10ffff}";

export const everyPackage: Sql = { sql: "1 = 1", parameters: [] };

const nothing: Sql = { sql: "1 = 0", parameters: [] };

export function idIs(id: string): Sql {
  return { sql: "p.lower_id = ?", parameters: [id] };
}

export function idStarts(prefix: string): Sql {
  return { sql: "p.lower_id >= ? and p.lower_id < ?", parameters: [prefix, prefix + LAST] };
}

/** Returns conditions on the id, the newest version, and the ids that the caller may see. */
export function packageSql({ ids, versions }: Conditions, { column }: SearchWay): Sql {
  const { contains, equals } = ids;
  return joined(
    ...(contains ? [anyOf("p.lower_id like ? escape '!'", contains.map(containing))] : []),
    ...(equals ? [anyOf("p.lower_id = ?", equals)] : []),
    ...(versions ? [newestIs(column, versions)] : []),
    limitSql(ids),
  );
}

/** Ids that the caller may see. */
export function limitSql({ names }: IdLimit): Sql {
  if (names === undefined) return everyPackage;
  const patterns = idFormsOf(names).map((form) => form.map(escapeLike).join("%"));
  return patterns.length === 0 ? nothing : anyOf("p.lower_id like ? escape '!'", patterns);
}

/** Finds the version by its key: there is no index of versions without their package. */
function newestIs(column: SearchWay["column"], versions: readonly string[]): Sql {
  const { sql, parameters } = anyOf("v.lower_version = ?", versions);
  return {
    sql: `exists (select 1 from nuget_versions v where v.id = p.${column} and (${sql}))`,
    parameters,
  };
}

export function not({ sql, parameters }: Sql): Sql {
  return { sql: `not (${sql})`, parameters };
}

export function joined(...conditions: readonly Sql[]): Sql {
  const given = conditions.filter((condition) => condition !== everyPackage);
  if (given.length === 0) return everyPackage;
  return {
    sql: given.map(({ sql }) => `(${sql})`).join(" and "),
    parameters: given.flatMap(({ parameters }) => parameters),
  };
}

function anyOf(sql: string, values: readonly string[]): Sql {
  return { sql: values.map(() => sql).join(" or "), parameters: values };
}
