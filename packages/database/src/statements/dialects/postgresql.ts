import { PostgresAdapter, PostgresQueryCompiler, sql } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { compilingKysely } from "./dialect.ts";
import { onConflictUpserts } from "./upsert.ts";

const TYPES = { text: sql`text`, whole: sql`bigint` } as const;

/** PostgreSQL: lists are arrays. */
export function postgresqlDialect(): Dialect {
  const db = compilingKysely(new PostgresAdapter(), new PostgresQueryCompiler());
  return {
    db,
    yes: sql`true`,
    no: sql`false`,
    limit: (query, count) => query.limit(count),
    page: (query, { skip, take }) => query.limit(take).offset(skip),
    forUpdate: (query) => query.forUpdate(),
    forShare: (query) => query.forShare(),
    // The inner select hides the length of the list. PostgreSQL would else plan each time, because
    // a list of one item seems cheaper than a list of any length.
    textsIn: (list) => sql`(select unnest((select cast(${list} as text[]))))`,
    // A subquery has no known size, so that the planner reads whole tables for it.
    isIn: (text, list) => sql`${text} = any(cast(${list} as text[]))`,
    wholesIn: (list) => sql`(select unnest((select cast(${list} as bigint[]))))`,
    records: (list, columns) => {
      const names = Object.keys(columns).map((name) => sql.ref(name));
      const typed = Object.entries(columns).map(
        ([name, type]) => sql`${sql.ref(name)} ${TYPES[type]}`,
      );
      return sql`(select ${sql.join(names)} from json_to_recordset(cast(${list} as json))
        as r(${sql.join(typed)}))`;
    },
    matchesAny: (text, { likes }) =>
      sql`exists (select 1 from unnest(cast(${likes} as text[])) as l(item)
        where ${text} like l.item escape '!')`,
    byList: (query) => query,
    sum: (of) => sql`cast(coalesce(sum(${of}), 0) as bigint)`,
    byteLength: (of) => sql`octet_length(${of})`,
    textByteLength: (of) => sql`octet_length(${of})`,
    isAfter: ([a, b], [x, y]) => sql`(${a}, ${b}) > (${x}, ${y})`,
    ...onConflictUpserts(db),
  };
}
