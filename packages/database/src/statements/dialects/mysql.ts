import { MysqlAdapter, MysqlQueryCompiler, sql } from "#kysely";
import type { Expression } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { assignments, compilingKysely, otherColumns } from "./dialect.ts";
import { multiTableDelete } from "./delete-in.ts";
import { insertOf } from "./upsert.ts";

const TYPES = {
  text: sql`longtext character set utf8mb4 collate utf8mb4_bin`,
  whole: sql`bigint`,
} as const;

function textItems(list: Expression<unknown>) {
  return sql`json_table(${list}, '$[*]' columns (
    item varchar(512) character set utf8mb4 collate utf8mb4_bin path '$')) l`;
}

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
    textsIn: (list) => sql`(select item from ${textItems(list)})`,
    wholesIn: (list) =>
      sql`(select item from json_table(${list}, '$[*]' columns (item bigint path '$')) l)`,
    records: (list, columns) => {
      const names = Object.keys(columns).map((name) => sql.ref(name));
      const typed = Object.entries(columns).map(
        ([name, type]) => sql`${sql.ref(name)} ${TYPES[type]} path ${sql.lit(`$.${name}`)}`,
      );
      return sql`(select ${sql.join(names)}
        from json_table(${list}, '$[*]' columns (${sql.join(typed)})) r)`;
    },
    matchesAny: (text, { likes }) =>
      sql`exists (select 1 from ${textItems(likes)} where ${text} like l.item escape '!')`,
    deleteIn: multiTableDelete(db),
    upsert: (table, row, key) =>
      insertOf(db, table, row).onDuplicateKeyUpdate(
        assignments(otherColumns(row, key), (column) => sql`values(${sql.ref(column)})`),
      ),
  };
}
