import { SqliteAdapter, SqliteQueryCompiler, sql } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { compilingKysely } from "./dialect.ts";
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
    upsert: onConflictUpsert(db),
  };
}
