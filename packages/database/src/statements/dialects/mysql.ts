import { MysqlAdapter, MysqlQueryCompiler, sql } from "#kysely";
import type { Dialect } from "./dialect.ts";
import { assignments, compilingKysely, otherColumns } from "./dialect.ts";
import { changingQuery, lockingQuery, textItems, textsIn, wholesIn } from "./mysql-lists.ts";
import { insertFrom, insertOf } from "./upsert.ts";

const TYPES = {
  text: sql`longtext character set utf8mb4 collate utf8mb4_bin`,
  whole: sql`bigint`,
} as const;

/** MySQL and MariaDB: lists are JSON texts. */
export function mysqlDialect(): Dialect {
  const db = compilingKysely(new MysqlAdapter(), new MysqlQueryCompiler());
  return {
    db,
    yes: sql`1`,
    no: sql`0`,
    limit: (query, count) => query.limit(count),
    page: (query, { skip, take }) => query.limit(take).offset(skip),
    forUpdate: (query) => lockingQuery(db, query),
    // MariaDB knows the older spelling only.
    forShare: (query) => query.modifyEnd(sql`lock in share mode`),
    textsIn,
    isIn: (text, list) => sql`${text} in ${textsIn(list)}`,
    wholesIn,
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
    byList: (query) => changingQuery(db, query),
    sum: (of) => sql`coalesce(sum(${of}), 0)`,
    byteLength: (of) => sql`octet_length(${of})`,
    textByteLength: (of) => sql`octet_length(${of})`,
    // The comparison of rows does without the index.
    isAfter: ([a, b], [x, y]) => sql`(${a} = ${x} and ${b} > ${y} or ${a} > ${x})`,
    upsert: (table, row, key) =>
      insertOf(db, table, row).onDuplicateKeyUpdate(newValues(Object.keys(row), key)),
    upsertFrom: (table, source, key) =>
      insertFrom(db, table, source).onDuplicateKeyUpdate(newValues(source.columns, key)),
  };
}

function newValues(columns: readonly string[], key: readonly string[]) {
  return assignments(otherColumns(columns, key), (column) => sql`values(${sql.ref(column)})`);
}
