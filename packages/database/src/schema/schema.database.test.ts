import { existsSync, readdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { ENTITIES } from "../entities/contexts.ts";
import { MIGRATION_NAMES, migrationNames } from "../migrations/names.ts";
import { MIGRATIONS as MSSQL } from "../migrations/mssql/list.ts";
import { MIGRATIONS as MYSQL } from "../migrations/mysql/list.ts";
import { MIGRATIONS as POSTGRESQL } from "../migrations/postgresql/list.ts";
import { MIGRATIONS as SQLITE } from "../migrations/sqlite/list.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { openDatabase } from "../open-database.ts";
import { openTestPlace, stopTestCluster, testableDatabases } from "../testing/index.ts";
import { createFromEntities, describeTables, postgresDrift } from "../testing/schema-drift.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import type { Context } from "./contexts.ts";
import { migrateDatabase, pendingMigrations } from "./ensure-schema.ts";
import { DRIVERS, migrationsFolder } from "./offline-orm.ts";
import type { Driver } from "./offline-orm.ts";

const LISTS = { sqlite: SQLITE, postgresql: POSTGRESQL, mysql: MYSQL, mssql: MSSQL };
const ONLY_SQL_SERVER = migrationNames("SqlServer");
const everyContext = DRIVERS.flatMap((driver) => CONTEXTS.map((context) => ({ driver, context })));

test.each(everyContext)(
  "$driver/$context: every migration file is in the list under its name",
  ({ driver, context }) => {
    const names = driver === "mssql" ? ONLY_SQL_SERVER : MIGRATION_NAMES;
    const shared = filesIn("shared", context).filter(
      (file) => driver !== "mssql" || (names[context][0] ?? "") < file,
    );
    const files = [...filesIn(driver, context), ...shared];
    expect(LISTS[driver][context].map(({ name }) => name)).toEqual(files);
    expect(names[context]).toEqual(files);
  },
);

// Those of SQL Server are compared without a server (sqlserver-migrations.test.ts).
const compared = testableDatabases().filter(
  (type) => type !== "PostgreSQL" && type !== "SqlServer",
);

test.each(compared)(
  "%s: the migrations create exactly the tables of the entities",
  async (type) => {
    await using migrated = await openTestPlace(type);
    await using created = await openTestPlace(type);
    await migrateDatabase(migrated.config);
    const [connections, other] = [
      await openConnections(migrated.config),
      await openConnections(created.config),
    ];
    await createFromEntities(other);
    const described = await describeTables(connections);
    expect(Object.keys(described)).toHaveLength(ENTITIES.catalog.length + ENTITIES.identity.length);
    expect(described).toEqual(await describeTables(other));
    await closeConnections(connections);
    await closeConnections(other);
  },
);

test.runIf(testableDatabases().includes("PostgreSQL"))(
  "PostgreSQL: the migrations create exactly the tables of the entities",
  async () => {
    await using place = await openTestPlace("PostgreSQL");
    await migrateDatabase(place.config);
    const connections = await openConnections(place.config);
    for (const context of CONTEXTS) expect(await postgresDrift(connections, context)).toBe("");
    await connections.port.run({ sql: "alter table blobs drop column size" }, []);
    expect(await postgresDrift(connections, "catalog")).toContain('add "size"');
    await closeConnections(connections);
  },
);

describe.each(testableDatabases())("%s", (type) => {
  test("applies every migration once and returns their names", async () => {
    await using place = await openTestPlace(type);
    const all = CONTEXTS.flatMap((context) =>
      migrationNames(type)[context].map((name) => `${context}/${name}`),
    );
    expect(await migrateDatabase(place.config)).toEqual({ applied: all });
    expect(await migrateDatabase(place.config)).toEqual({ applied: [] });
  });

  test("refuses an outdated schema without migrating, and changes nothing", async () => {
    await using place = await openTestPlace(type);
    const opening = openDatabase(place.config, { migrate: false });
    await expect(opening).rejects.toMatchObject({
      name: "SchemaMismatchError",
      message: expect.stringContaining("sealhouse migrate"),
    });
    const connections = await openConnections(place.config);
    expect(await tablesOf(connections)).toEqual([]);
    await closeConnections(connections);
  });

  test("runs on a schema of a newer release that does not require it", async () => {
    await using place = await openTestPlace(type);
    await migrateAsNewer(place.config);
    await using database = await openDatabase(place.config);
    await database.ping();
    expect(await pendingMigrations(place.config)).toEqual([]);
  });

  test("refuses a schema of a newer release that requires it", async () => {
    await using place = await openTestPlace(type);
    await migrateAsNewer(place.config, "update schema_level set required = 'Migration2099_x'");
    await expect(openDatabase(place.config)).rejects.toMatchObject({
      name: "SchemaMismatchError",
      message: expect.stringContaining("Migration2099_x"),
    });
  });

  test("lists pending migrations without applying them", async () => {
    await using place = await openTestPlace(type);
    const pending = await pendingMigrations(place.config);
    expect(pending).toHaveLength(CONTEXTS.flatMap((one) => migrationNames(type)[one]).length);
    expect(await pendingMigrations(place.config)).toEqual(pending);
    expect((await migrateDatabase(place.config)).applied).toEqual(pending);
    expect(await pendingMigrations(place.config)).toEqual([]);
  });
});

afterAll(stopTestCluster);

function filesIn(driver: Driver | "shared", context: Context): readonly string[] {
  const folder = migrationsFolder(driver, context);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length));
}

/** Migrates as a newer release does that has one more migration. */
async function migrateAsNewer(config: DatabaseConfig, ...further: readonly string[]) {
  await migrateDatabase(config);
  const connections = await openConnections(config);
  const { port } = connections;
  const table = MIGRATIONS_TABLE.catalog;
  await port.run({ sql: `insert into ${table} (name) values ('Migration2099_x')` }, []);
  for (const sql of further) await port.run({ sql }, []);
  await closeConnections(connections);
}

const TABLES = {
  Sqlite: "select name from sqlite_master where type = 'table'",
  PostgreSQL:
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  MySql: "select table_name as name from information_schema.tables where table_schema = database()",
  SqlServer: "select name from sys.tables",
};

async function tablesOf({ type, port }: Connections): Promise<readonly unknown[]> {
  return (await port.all({ sql: TABLES[type] }, [])).map((row) => row["name"]);
}
