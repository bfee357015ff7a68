import type { MigrationObject } from "@mikro-orm/core";
import { Migration } from "@mikro-orm/migrations";
import type { Driver } from "../../schema/offline-orm.ts";
import { collated } from "../mssql/sql-migration.ts";
import type { SqlMigration } from "../mssql/sql-migration.ts";
import { WORDS } from "./words.ts";
import type { Words } from "./words.ts";

/** Statements in the words of each database, or those of each database where they differ. */
export type SharedStatements =
  | ((words: Words) => readonly string[])
  | Readonly<Record<Driver, readonly string[]>>;

/** A migration of all databases in one file. */
export type SharedMigration = {
  readonly name: string;
  readonly up: SharedStatements;
  readonly down: SharedStatements;
};

/** The statements for one database. */
export function statementsFor(driver: Driver, statements: SharedStatements): readonly string[] {
  const own = typeof statements === "function" ? statements(WORDS[driver]) : statements[driver];
  return driver === "mssql" ? own.map(collated) : own;
}

/** The same migration as MikroORM's migrator takes it. */
export function migrationObjects(
  driver: Exclude<Driver, "mssql">,
  migrations: readonly SharedMigration[],
): MigrationObject[] {
  return migrations.map(({ name, up, down }) => ({
    name,
    class: class extends Migration {
      override up(): void {
        for (const sql of statementsFor(driver, up)) this.addSql(sql);
      }

      override down(): void {
        for (const sql of statementsFor(driver, down)) this.addSql(sql);
      }
    },
  }));
}

/** The migrations of SQL Server that are newer than the one with the whole schema. */
export function sqlMigrations(
  migrations: readonly SharedMigration[],
  first: SqlMigration,
): readonly SqlMigration[] {
  return migrations
    .filter(({ name }) => name > first.name)
    .map(({ name, up }) => ({ name, statements: statementsFor("mssql", up) }));
}
