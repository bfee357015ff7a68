import { MysqlAdapter, MysqlQueryCompiler, sql } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { assignments, compilingKysely, otherColumns } from "./dialect.ts";
import { insertOf } from "./upsert.ts";

/** MySQL and MariaDB: lists are JSON texts. */
export function mysqlDialect(): Dialect {
  const db = compilingKysely(new MysqlAdapter(), new MysqlQueryCompiler());
  return {
    db,
    yes: sql`1`,
    no: sql`0`,
    limit: (query, count) => query.limit(count),
    page: (query, { skip, take }) => query.limit(take).offset(skip),
    forUpdate: (query) => query.forUpdate(),
    // MariaDB knows the older spelling only.
    forShare: (query) => query.modifyEnd(sql`lock in share mode`),
    textsIn: (list) => sql`(select item from json_table(${list}, '$[*]' columns (
      item varchar(512) character set utf8mb4 collate utf8mb4_bin path '$')) l)`,
    wholesIn: (list) =>
      sql`(select item from json_table(${list}, '$[*]' columns (item bigint path '$')) l)`,
    upsert: (table, row, key) =>
      insertOf(db, table, row).onDuplicateKeyUpdate(
        assignments(otherColumns(row, key), (column) => sql`values(${sql.ref(column)})`),
      ),
  };
}
