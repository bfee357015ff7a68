import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  DatabaseConfig,
  MysqlConfig,
  PostgresConfig,
  SqliteConfig,
  SqlServerConfig,
} from "../connection-string.ts";
import type { DatabaseOptions } from "../database-options.ts";
import type { Database } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { MIGRATIONS_TABLE } from "../schema/contexts.ts";
import { migrateDatabase } from "../schema/migrate-database.ts";
import { givenMysql, mariadbServer, mysqlAt, startMariadb } from "./mariadb.ts";
import type { TestMariaDb } from "./mariadb.ts";
import { copyMigratedSqlite } from "./migrated-file.ts";
import { postgresBinaries, startPostgres } from "./postgres.ts";
import type { TestCluster } from "./postgres.ts";
import { givenSqlServer, sqlServerAt } from "./sql-server.ts";
import type { TestSqlServer } from "./sql-server.ts";

export type TestDatabaseOptions = DatabaseOptions & {
  /** Default `Sqlite`. */
  readonly type?: DatabaseConfig["type"];
};

/** A place for one database that goes away with it. */
export interface TestPlace extends AsyncDisposable {
  readonly config: DatabaseConfig;
}

/**
 * Opens a separate, empty and migrated database: an SQLite file, or one on this process's server.
 */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<Database> {
  const { type = "Sqlite", ...rest } = options;
  const place = await openMigratedPlace(type);
  const database = await openDatabase(place.config, rest);
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Where a database can be, with nothing in it yet. */
export async function openTestPlace(type: DatabaseConfig["type"]): Promise<TestPlace> {
  switch (type) {
    case "Sqlite":
      return sqlitePlace();
    case "PostgreSQL":
      return lasting(await (await sharedPostgres()).createDatabase());
    case "MySql":
      return lasting(await (await sharedMariadb()).createDatabase());
    case "SqlServer":
      return lasting(await sharedSqlServer().createDatabase());
  }
}

/**
 * Provides a database per test. SQLite's is a copied file; one on a server is emptied after a test
 * and reused.
 */
export async function openMigratedPlace(type: DatabaseConfig["type"]): Promise<TestPlace> {
  switch (type) {
    case "Sqlite": {
      const place = sqlitePlace();
      await copyMigratedSqlite(place.config.path);
      return place;
    }
    case "PostgreSQL":
      return reused(await sharedPostgres(), left.postgres);
    case "MySql":
      return reused(await sharedMariadb(), left.mariadb);
    case "SqlServer":
      return reused(sharedSqlServer(), left.sqlServer);
  }
}

type Reusing<Config extends DatabaseConfig> = {
  createDatabase(): Promise<Config>;
  emptyDatabase(config: Config, except: readonly string[]): Promise<void>;
};

async function reused<Config extends DatabaseConfig>(
  server: Reusing<Config>,
  leftOver: Config[],
): Promise<TestPlace> {
  const config = leftOver.pop() ?? (await migratedOn(server));
  return {
    config,
    async [Symbol.asyncDispose]() {
      await server.emptyDatabase(config, Object.values(MIGRATIONS_TABLE));
      leftOver.push(config);
    },
  };
}

/** Goes away with its server. */
function lasting(config: DatabaseConfig): TestPlace {
  return { config, [Symbol.asyncDispose]: async () => undefined };
}

function sqlitePlace(): TestPlace & { readonly config: SqliteConfig } {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-db-"));
  return {
    config: { type: "Sqlite", path: join(folder, "test.db") },
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

const left: {
  postgres: PostgresConfig[];
  mariadb: MysqlConfig[];
  sqlServer: SqlServerConfig[];
} = { postgres: [], mariadb: [], sqlServer: [] };

async function migratedOn<Config extends DatabaseConfig>(server: Reusing<Config>): Promise<Config> {
  const config = await server.createDatabase();
  await migrateDatabase(config);
  return config;
}

const servers: {
  postgres?: Promise<TestCluster>;
  mariadb?: Promise<TestMariaDb>;
  sqlServer?: TestSqlServer;
} = {};

/** One server of a kind per process, started by the first test that wants it. */
function sharedPostgres(): Promise<TestCluster> {
  const binaries = postgresBinaries();
  if (binaries === undefined) throw new Error("This machine has no PostgreSQL server.");
  return (servers.postgres ??= startPostgres(binaries));
}

/** The server that the environment names, or one of this process. */
function sharedMariadb(): Promise<TestMariaDb> {
  const given = givenMysql();
  if (given) return (servers.mariadb ??= Promise.resolve(mysqlAt(given)));
  const program = mariadbServer();
  if (program === undefined) throw new Error("This machine has no MariaDB server.");
  return (servers.mariadb ??= startMariadb(program));
}

function sharedSqlServer(): TestSqlServer {
  const given = givenSqlServer();
  if (given === undefined) throw new Error("TEST_MSSQL_URL names no SQL Server.");
  return (servers.sqlServer ??= sqlServerAt(given));
}

/**
 * Drops the databases that tests created at servers which the environment names. A test file must
 * call it at its end. Servers of this process stay for its other files, and end with it.
 */
export async function leaveTestServers(): Promise<void> {
  if (givenMysql() !== undefined) {
    left.mariadb.length = 0;
    await (await servers.mariadb)?.[Symbol.asyncDispose]();
  }
  left.sqlServer.length = 0;
  await servers.sqlServer?.[Symbol.asyncDispose]();
}

/** Returns the databases that are available for tests; warns about missing ones. SQL Server, and
 * MySQL in place of MariaDB, are those that `TEST_MSSQL_URL` and `TEST_MYSQL_URL` name. */
export function testableDatabases(): readonly DatabaseConfig["type"][] {
  const testable: DatabaseConfig["type"][] = ["Sqlite"];
  if (postgresBinaries() !== undefined) testable.push("PostgreSQL");
  else say("SKIPPED: all PostgreSQL tests, because this machine has no server.");
  if (givenMysql() !== undefined || mariadbServer() !== undefined) testable.push("MySql");
  else say("SKIPPED: all MySQL tests, because this machine has no MariaDB server.");
  // Without a line when it is missing: no machine of ours has one.
  if (givenSqlServer() !== undefined) testable.push("SqlServer");
  return testable;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
