import {
  DeleteQueryNode,
  ListNode,
  MysqlAdapter,
  MysqlQueryCompiler,
  UpdateQueryNode,
  createQueryId,
  sql,
} from "#kysely";
import type {
  Compilable,
  Expression,
  Kysely,
  OperationNode,
  OperationNodeSource,
  RootOperationNode,
} from "#kysely";
import type { Tables } from "../tables.ts";
import type { Dialect } from "./dialect.ts";
import { assignments, compilingKysely, otherColumns } from "./dialect.ts";
import { insertFrom, insertOf } from "./upsert.ts";

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
    byList: (query) => besideOne(db, query),
    sum: (of) => sql`coalesce(sum(${of}), 0)`,
    byteLength: (of) => sql`octet_length(${of})`,
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

/** An update or delete with a second table, of one row. MariaDB makes a join of `in (select …)`
 * only when there are two; otherwise it reads and locks all rows of the table. */
function besideOne(db: Kysely<Tables>, query: OperationNodeSource): Compilable {
  const joined = joinedWithOne(query.toOperationNode());
  return { compile: () => db.getExecutor().compileQuery(joined, createQueryId()) };
}

function joinedWithOne(node: OperationNode): RootOperationNode {
  const one = sql`(select 1)`.as("one").toOperationNode();
  if (UpdateQueryNode.is(node) && node.table) {
    return { ...node, table: ListNode.create([node.table, one]) };
  }
  if (DeleteQueryNode.is(node)) {
    return DeleteQueryNode.cloneWithUsing(node, [...node.from.froms, one]);
  }
  throw new Error("The query is neither an update nor a delete.");
}
