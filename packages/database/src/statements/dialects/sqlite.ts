import { SqliteAdapter, SqliteQueryCompiler, sql } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { compilingKysely } from "./dialect.ts";
import { singleTableDelete } from "./delete-in.ts";
import { onConflictUpsert } from "./upsert.ts";

/** SQLite: one connection writes, so rows need no locks. */
export function sqliteDialect(): Dialect {
  const db = compilingKysely(new SqliteAdapter(), new SqliteQueryCompiler());
  return {
    db,
    yes: sql`1`,
    no: sql`0`,
    limit: (query, count) => query.limit(count),
    page: (query, { skip, take }) => query.limit(take).offset(skip),
    forUpdate: (query) => query,
    forShare: (query) => query,
    textsIn: (list) => sql`(select value from json_each(${list}))`,
    wholesIn: (list) => sql`(select value from json_each(${list}))`,
    records: (list, columns) => {
      const values = Object.keys(columns).map(
        (name) => sql`json_extract(value, ${sql.lit(`$.${name}`)}) as ${sql.ref(name)}`,
      );
      return sql`(select ${sql.join(values)} from json_each(${list}))`;
    },
    // `like` ignores letter case.
    matchesAny: (text, { globs }) =>
      sql`exists (select 1 from json_each(${globs}) where ${text} glob value)`,
    deleteIn: singleTableDelete(db),
    upsert: onConflictUpsert(db),
  };
}
