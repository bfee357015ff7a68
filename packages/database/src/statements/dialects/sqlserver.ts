import { MssqlAdapter, sql } from "#kysely";
import type { Compilable, Expression, Kysely, RawBuilder } from "#kysely";
import type { Tables } from "../tables.ts";
import type { Dialect } from "./dialect.ts";
import { compilingKysely, otherColumns } from "./dialect.ts";
import { SqlServerCompiler } from "./sqlserver-compiler.ts";

/** Compares text of a JSON list as the columns do, by code points. */
const COLLATION = sql.raw("Latin1_General_100_BIN2");
/** The same with bytes of UTF-8. */
const UTF8_COLLATION = sql.raw("Latin1_General_100_BIN2_UTF8");

const TYPES = { text: sql`nvarchar(max)`, whole: sql`bigint` } as const;

function textItems(list: Expression<unknown>) {
  return sql`openjson(${list}) with (item nvarchar(4000) '$') l`;
}

/** SQL Server: lists are JSON texts. */
export function sqlserverDialect(): Dialect {
  const db = compilingKysely(new MssqlAdapter(), new SqlServerCompiler());
  return {
    db,
    yes: sql`cast(1 as bit)`,
    no: sql`cast(0 as bit)`,
    // The compiler spells limits and locks.
    limit: (query, count) => query.limit(count),
    page: (query, { skip, take }) => query.limit(take).offset(skip),
    forUpdate: (query) => query.forUpdate(),
    forShare: (query) => query.forShare(),
    textsIn: (list) => sql`(select l.item collate ${COLLATION} from ${textItems(list)})`,
    isIn: (text, list) =>
      sql`${text} in (select l.item collate ${COLLATION} from ${textItems(list)})`,
    wholesIn: (list) => sql`(select l.item from openjson(${list}) with (item bigint '$') l)`,
    records: (list, columns) => {
      const values = Object.entries(columns).map(([name, type]) =>
        type === "text"
          ? sql`r.${sql.ref(name)} collate ${COLLATION} as ${sql.ref(name)}`
          : sql`r.${sql.ref(name)}`,
      );
      const typed = Object.entries(columns).map(
        ([name, type]) => sql`${sql.ref(name)} ${TYPES[type]} ${sql.raw(`'$.${name}'`)}`,
      );
      return sql`(select ${sql.join(values)} from openjson(${list}) with (${sql.join(typed)}) r)`;
    },
    matchesAny: (text, { likes }) =>
      sql`exists (select 1 from ${textItems(likes)}
        where ${text} like l.item collate ${COLLATION} escape '!')`,
    byList: (query) => query,
    sum: (of) => sql`coalesce(sum(cast(${of} as bigint)), 0)`,
    byteLength: (of) => sql`datalength(${of})`,
    textByteLength: (of) => sql`datalength(cast(${of} collate ${UTF8_COLLATION} as varchar(max)))`,
    isAfter: ([a, b], [x, y]) => sql`(${a} = ${x} and ${b} > ${y} or ${a} > ${x})`,
    upsert: (table, row, key) => {
      const values = sql`(values (${sql.join(Object.values(row))}))`;
      return merge(db, { table, columns: Object.keys(row), rows: values, key });
    },
    upsertFrom: (table, { columns, rows }, key) =>
      merge(db, { table, columns, rows: sql`${rows}`, key }),
  };
}

type Merge = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: RawBuilder<unknown>;
  readonly key: readonly string[];
};

/** Holds the place of the key until the commit; otherwise two of them could both insert. */
function merge(db: Kysely<Tables>, { table, columns, rows, key }: Merge): Compilable {
  const same = (names: readonly string[], left: string) =>
    names.map((name) => sql`${sql.ref(`${left}${name}`)} = ${sql.ref(`s.${name}`)}`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(columns.map((column) => sql.ref(`s.${column}`)));
  const query = sql`merge into ${sql.table(table)} with (holdlock) as t
    using ${rows} as s (${names}) on ${sql.join(same(key, "t."), sql` and `)}
    when matched then update set ${sql.join(same(otherColumns(columns, key), ""))}
    when not matched then insert (${names}) values (${values});`;
  return { compile: () => query.compile(db) };
}
