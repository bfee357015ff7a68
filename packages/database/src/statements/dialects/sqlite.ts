import { SqliteAdapter, SqliteQueryCompiler, sql } from "#kysely";
import type { Expression, RawBuilder } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { compilingKysely } from "./dialect.ts";
import { onConflictUpserts } from "./upsert.ts";

/** Reads a list once, not again for each row that is compared with it. */
function materialized(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`with l as materialized (${rows})`;
}

/**
 * A count that SQLite does not look at while it plans. It compiles a statement again for each new
 * value of a plain placeholder after `limit`, also for an equal one.
 */
function unplanned(count: Expression<number>): RawBuilder<number> {
  return sql`+${count}`;
}

/** SQLite: one connection writes, so rows need no locks. */
export function sqliteDialect(): Dialect {
  const db = compilingKysely(new SqliteAdapter(), new SqliteQueryCompiler());
  return {
    db,
    yes: sql`1`,
    no: sql`0`,
    limit: (query, count) => query.limit(unplanned(count)),
    page: (query, { skip, take }) => query.limit(unplanned(take)).offset(unplanned(skip)),
    forUpdate: (query) => query,
    forShare: (query) => query,
    textsIn: (list) => sql`(select value from json_each(${list}))`,
    isIn: (text, list) => sql`${text} in (select value from json_each(${list}))`,
    wholesIn: (list) => sql`(select value from json_each(${list}))`,
    records: (list, columns) => {
      const names = Object.keys(columns).map((name) => sql.ref(name));
      const values = Object.keys(columns).map(
        (name) => sql`json_extract(value, ${sql.lit(`$.${name}`)}) as ${sql.ref(name)}`,
      );
      return sql`(${materialized(sql`select ${sql.join(values)} from json_each(${list})`)}
        select ${sql.join(names)} from l)`;
    },
    // `like` ignores letter case.
    matchesAny: (text, { globs }) =>
      sql`exists (${materialized(sql`select value from json_each(${globs})`)}
        select 1 from l where ${text} glob l.value)`,
    byList: (query) => query,
    sum: (of) => sql`coalesce(sum(${of}), 0)`,
    byteLength: (of) => sql`octet_length(${of})`,
    textByteLength: (of) => sql`octet_length(${of})`,
    isAfter: ([a, b], [x, y]) => sql`(${a}, ${b}) > (${x}, ${y})`,
    ...onConflictUpserts(db),
  };
}
