import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseConfig, PostgresConfig } from "../connection-string.ts";
import type { Database, DatabaseOptions } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { migrateDatabase } from "../schema/ensure-schema.ts";
import { postgresBinaries, startPostgres } from "./postgres.ts";
import type { TestCluster } from "./postgres.ts";

export type TestDatabaseOptions = DatabaseOptions & {
  /** Default `Sqlite`. */
  readonly type?: DatabaseConfig["type"];
};

/** A place for one database that goes away with it. */
export interface TestPlace extends AsyncDisposable {
  readonly config: DatabaseConfig;
}

/** An empty, migrated database of its own: an SQLite file, or one in this process's cluster. */
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
  if (type === "PostgreSQL") {
    const config = await (await sharedCluster()).createDatabase();
    return { config, [Symbol.asyncDispose]: async () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-db-"));
  return {
    config: { type: "Sqlite", path: join(folder, "test.db") },
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Migrating once and copying is what makes a database per test affordable. */
export async function openMigratedPlace(type: DatabaseConfig["type"]): Promise<TestPlace> {
  if (type === "PostgreSQL") {
    const { database } = await (templates.postgres ??= migratedPostgres());
    const config = await (await sharedCluster()).createDatabase(database);
    return { config, [Symbol.asyncDispose]: async () => undefined };
  }
  const bytes = await (templates.sqlite ??= migratedSqlite());
  const place = await openTestPlace("Sqlite");
  if (place.config.type === "Sqlite") writeFileSync(place.config.path, bytes);
  return place;
}

const templates: { sqlite?: Promise<Uint8Array>; postgres?: Promise<PostgresConfig> } = {};

async function migratedPostgres(): Promise<PostgresConfig> {
  const config = await (await sharedCluster()).createDatabase();
  await migrateDatabase(config);
  return config;
}

async function migratedSqlite(): Promise<Uint8Array> {
  await using place = await openTestPlace("Sqlite");
  await migrateDatabase(place.config);
  return place.config.type === "Sqlite" ? readFileSync(place.config.path) : new Uint8Array();
}

let cluster: Promise<TestCluster> | undefined;

/** One cluster per process, started by the first test that wants it. */
function sharedCluster(): Promise<TestCluster> {
  const binaries = postgresBinaries();
  if (binaries === undefined) throw new Error("This machine has no PostgreSQL server.");
  cluster ??= startPostgres(binaries);
  return cluster;
}

/** Ends this process's cluster, if one was started. A test file that used it does so at its end. */
export async function stopTestCluster(): Promise<void> {
  const started = cluster;
  cluster = undefined;
  delete templates.postgres;
  await (await started)?.[Symbol.asyncDispose]();
}

/** The databases that can be tested here. Says loudly when one cannot. */
export function testableDatabases(): readonly DatabaseConfig["type"][] {
  if (postgresBinaries() !== undefined) return ["Sqlite", "PostgreSQL"];
  process.stderr.write("SKIPPED: all PostgreSQL tests, because this machine has no server.\n");
  return ["Sqlite"];
}
