import type { Driver } from "../schema/offline-orm.ts";

/** Statements for each database; `inFull` completes them. */
export type Statements = Readonly<Record<Driver, readonly string[]>>;

/** A step from one schema to the next. It cannot be undone: a backup has the schema before. */
export type Migration = { readonly name: string; readonly statements: Statements };

/** Asks for the statements of each database. */
export function statementsBy(of: (driver: Driver) => readonly string[]): Statements {
  return {
    sqlite: of("sqlite"),
    postgresql: of("postgresql"),
    mysql: of("mysql"),
    mssql: of("mssql"),
  };
}

/** The statements of several lists, one list after the other. */
export function joined(...lists: readonly Statements[]): Statements {
  return statementsBy((driver) => lists.flatMap((list) => list[driver]));
}

/** The complete statements of a migration for one database. */
export function statementsOf({ statements }: Migration, driver: Driver): readonly string[] {
  return statements[driver].map((sql) => inFull(driver, sql));
}

/** Text compares by its bytes or code points, on every database. */
const COLLATIONS: Readonly<Record<Driver, string | undefined>> = {
  sqlite: undefined,
  postgresql: ' collate "C"',
  mysql: " collate utf8mb4_bin",
  mssql: " collate Latin1_General_100_BIN2",
};
const MYSQL_TABLE_END = " default character set utf8mb4 collate utf8mb4_bin engine = InnoDB";

/**
 * Adds what a database needs in each statement: the collation of each column of text, and MySQL's
 * options of each new table.
 */
export function inFull(driver: Driver, sql: string): string {
  const collation = COLLATIONS[driver];
  if (collation === undefined) return sql;
  const collated = sql.replaceAll(/\bn?varchar\((?:\d+|max)\)/g, `$&${collation}`);
  const isTable = driver === "mysql" && sql.startsWith("create table ");
  return isTable ? collated + MYSQL_TABLE_END : collated;
}

/** The opposite of `inFull`, for statements that MikroORM generates. */
export function inShort(driver: Driver, sql: string): string {
  const collation = COLLATIONS[driver];
  const bare = sql.replaceAll(/[`[\]]/g, '"').replace(/;$/, "");
  return collation === undefined
    ? bare
    : bare.replace(MYSQL_TABLE_END, "").replaceAll(collation, "");
}
