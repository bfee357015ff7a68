import type { Driver } from "../schema/offline-orm.ts";
import { statementsBy } from "./migration.ts";
import type { Statements } from "./migration.ts";

// Statements about tables in one spelling for all databases. Columns have the types of `TYPES`;
// `create reference index` is an index for a foreign key alone, which not every database has.

const DRIVERS: readonly Driver[] = ["sqlite", "postgresql", "mysql", "mssql"];

type ColumnType = "big" | "ref" | "int" | "bool" | "time" | "bytes" | "text";

/** Types of columns. `ref` is the id of a row of another table. */
const TYPES: Readonly<Record<Driver, Readonly<Record<ColumnType, string>>>> = {
  sqlite: {
    big: "bigint",
    ref: "bigint",
    int: "integer",
    bool: "integer",
    time: "datetime",
    bytes: "blob",
    text: "text",
  },
  postgresql: {
    big: "bigint",
    ref: "bigint",
    int: "int",
    bool: "boolean",
    time: "timestamptz(3)",
    bytes: "bytea",
    text: "text",
  },
  mysql: {
    big: "bigint",
    ref: "bigint unsigned",
    int: "int",
    bool: "tinyint(1)",
    time: "datetime(3)",
    bytes: "longblob",
    text: "longtext",
  },
  mssql: {
    big: "bigint",
    ref: "bigint",
    int: "int",
    bool: "bit",
    time: "datetime2(3)",
    bytes: "varbinary(max)",
    text: "nvarchar(max)",
  },
};
const ROW_ID: Readonly<Record<Driver, string>> = {
  sqlite: "integer not null primary key autoincrement",
  postgresql: "bigserial primary key",
  mysql: "bigint unsigned not null auto_increment primary key",
  mssql: 'bigint identity(1,1) not null constraint "$1_pkey" primary key',
};

const TABLE = /^create table "(\w+)"/;
const COLUMN_TYPE = /(?<=" )(big|ref|int|bool|time|bytes|text)(?:\((\d+)\))?(?= (?:not )?null\b)/g;
const PRIMARY_KEY = /, primary key (\([^)]+\))/;
const ONE_COLUMN_KEY = /^\(("\w+")\)$/;
const INDEX = /^create (unique |reference )?index ("\w+") on ("\w+") (\(.+\))$/;
const FOREIGN_KEY = /^alter table ("\w+") add (constraint "\w+" foreign key .+)$/;
/** The most bytes of a clustered index of SQL Server. */
const CLUSTERED_MAX = 900;

/** The statements of each database for statements in the common spelling. */
export function onEveryDatabase(statements: readonly string[]): Statements {
  return statementsBy((driver) => statementsFor(driver, statements));
}

/**
 * The common spelling of statements that are the same but for their spelling, or undefined when
 * they differ.
 */
export function commonSpelling(statements: Statements): readonly string[] | undefined {
  const indexes = new Set(statements.postgresql.flatMap((sql) => indexNames(sql)));
  const common = statements.mysql.map((sql) => commonStatement(sql, indexes));
  const spelled = onEveryDatabase(common);
  const isSame = DRIVERS.every((driver) => areSame(statements[driver], spelled[driver]));
  return isSame ? common : undefined;
}

/** SQLite has its foreign keys in other places. */
function areSame(statements: readonly string[], others: readonly string[]): boolean {
  const sorted = (list: readonly string[]) => list.toSorted().join("\n");
  return sorted(statements) === sorted(others);
}

function indexNames(sql: string): readonly string[] {
  const name = /^create index ("\w+")/.exec(sql)?.[1];
  return name === undefined ? [] : [name];
}

/** A statement of MySQL, which tells most, in the common spelling. */
function commonStatement(sql: string, indexes: ReadonlySet<string>): string {
  const { big, ref, int, ...others } = TYPES.mysql;
  const types = Object.entries({ ...others, ref }).reduce(
    (text, [type, spelling]) => text.replaceAll(` ${spelling} `, ` ${type} `),
    sql.replaceAll(` ${ROW_ID.mysql}`, " serial primary key"),
  );
  return types
    .replaceAll(` ${big} `, " big ")
    .replaceAll(` ${int} unsigned `, " int ")
    .replaceAll(/ varchar(\(\d+\)) /g, " text$1 ")
    .replace(/^alter table ("\w+") add unique ("\w+")/, "create unique index $2 on $1")
    .replace(/^alter table ("\w+") add index ("\w+")/, (_all, table: string, name: string) =>
      indexes.has(name)
        ? `create index ${name} on ${table}`
        : `create reference index ${name} on ${table}`,
    )
    .replace(/^(alter table "\w+" add) (?="\w+" \w+(?:\(\d+\))? (?:not )?null$)/, "$1 column ");
}

function statementsFor(driver: Driver, statements: readonly string[]): readonly string[] {
  const lines = statements.map((sql) => sql.replaceAll(/\s+/g, " "));
  const isReferencing = (sql: string) => FOREIGN_KEY.test(sql);
  if (driver !== "sqlite") return lines.flatMap((sql) => statementFor(driver, sql));
  const references = lines.filter(isReferencing);
  return lines
    .filter((sql) => !isReferencing(sql))
    .flatMap((sql) => statementFor(driver, withReferences(sql, references)));
}

/** A table of SQLite is created with its foreign keys. */
function withReferences(sql: string, references: readonly string[]): string {
  const table = TABLE.exec(sql)?.[1];
  if (table === undefined) return sql;
  const own = references.flatMap((text) => {
    const [, name, constraint] = FOREIGN_KEY.exec(text) ?? [];
    return name === `"${table}"` ? [`, ${constraint}`] : [];
  });
  return sql.replace(/\)$/, () => `${own.join("")})`);
}

function statementFor(driver: Driver, sql: string): readonly string[] {
  const table = TABLE.exec(sql)?.[1];
  if (table !== undefined) return [tableFor(driver, table, sql)];
  const [, kind = "", index, on, columns] = INDEX.exec(sql) ?? [];
  if (index === undefined) return [alterationFor(driver, sql)];
  const isForReferences = kind.startsWith("reference");
  if (isForReferences && (driver === "postgresql" || driver === "mssql")) return [];
  const unique = isForReferences ? "" : kind;
  if (driver === "mysql") return [`alter table ${on} add ${unique || "index "}${index} ${columns}`];
  return driver === "postgresql" && unique !== ""
    ? [`alter table ${on} add constraint ${index} unique ${columns}`]
    : [`create ${unique}index ${index} on ${on} ${columns}`];
}

function alterationFor(driver: Driver, sql: string): string {
  const typed = withTypes(driver, sql);
  if (driver === "sqlite") return typed;
  const added = typed.replace(/^(alter table "\w+" add) column /, "$1 ");
  if (driver !== "mssql" || !FOREIGN_KEY.test(sql)) return added;
  return added
    .replace(" on update cascade", "")
    .replace(" on delete ", " on update no action on delete ")
    .replace("delete restrict", "delete no action");
}

function withTypes(driver: Driver, sql: string): string {
  return sql.replaceAll(COLUMN_TYPE, (_all, type: ColumnType, length?: string) => {
    if (length === undefined || driver === "sqlite") return TYPES[driver][type];
    return driver === "mssql" ? `nvarchar(${length})` : `varchar(${length})`;
  });
}

function tableFor(driver: Driver, table: string, sql: string): string {
  const key = PRIMARY_KEY.exec(sql)?.[1] ?? "";
  const column = ONE_COLUMN_KEY.exec(key)?.[1];
  const keyed = withTypes(driver, column === undefined ? sql : numericKey(driver, column, sql));
  const rowId = ROW_ID[driver].replace("$1", table);
  const text = keyed.replace(" serial primary key", ` ${rowId}`);
  if (driver === "sqlite" && column !== undefined) {
    const type = new RegExp(`(?<=${column} )(\\w+) not null`);
    return text.replace(PRIMARY_KEY, "").replace(type, "$1 not null primary key");
  }
  const kind = bytesOfKey(key, sql) > CLUSTERED_MAX ? "primary key nonclustered" : "primary key";
  return driver === "mssql"
    ? text.replace(PRIMARY_KEY, `, constraint "${table}_pkey" ${kind} $1`)
    : text;
}

/** A number that is the key of its table has a separate type on some databases. */
function numericKey(driver: Driver, column: string, sql: string): string {
  if (driver === "mysql") return sql.replace(`${column} int `, `${column} int unsigned `);
  const isReference = driver === "sqlite" && sql.includes(` foreign key (${column}) `);
  return isReference ? sql.replace(`${column} ref `, `${column} int `) : sql;
}

/** The most bytes of a key on SQL Server, where a character has two. */
function bytesOfKey(key: string, sql: string): number {
  const columns = key.match(/"\w+"/g) ?? [];
  const lengths = columns.map((column) => {
    const type = sql.slice(sql.indexOf(`${column} `) + column.length);
    return Number(/^ text\((\d+)\)/.exec(type)?.[1] ?? 4) * 2;
  });
  return lengths.reduce((total, bytes) => total + bytes, 0);
}
