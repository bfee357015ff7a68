import { PostgresAdapter, PostgresQueryCompiler, sql } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { compilingKysely } from "./dialect.ts";
import { onConflictUpsert } from "./upsert.ts";

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
    textsIn: (list) => sql`(select unnest(cast(${list} as text[])))`,
    wholesIn: (list) => sql`(select unnest(cast(${list} as bigint[])))`,
    upsert: onConflictUpsert(db),
  };
}
