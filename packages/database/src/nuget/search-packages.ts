import type { Conditions } from "@sealhouse/nuget-protocol";
import { containing } from "../raw/like.ts";
import type { Sql } from "./search-dialect.ts";

// Conditions on `nuget_packages as p`.

/** Sorts after every text that starts with what it is appended to. */
const LAST = "\u{10ffff}";

export const everyPackage: Sql = { sql: "1 = 1", parameters: [] };

export function idIs(id: string): Sql {
  return { sql: "p.lower_id = ?", parameters: [id] };
}

export function idStarts(prefix: string): Sql {
  return { sql: "p.lower_id >= ? and p.lower_id < ?", parameters: [prefix, prefix + LAST] };
}

/** What the qualifiers of a query want of the id. */
export function idSql({ contains, equals }: Conditions["ids"]): Sql {
  return joined(
    ...(contains ? [anyOf("p.lower_id like ? escape '!'", contains.map(containing))] : []),
    ...(equals ? [anyOf("p.lower_id = ?", equals)] : []),
  );
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
