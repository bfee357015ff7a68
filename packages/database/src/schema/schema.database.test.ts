import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { ENTITIES } from "../entities/contexts.ts";
import { MIGRATIONS } from "../migrations/list.ts";
import { FIRST_MIGRATION, MIGRATION_NAMES } from "../migrations/names.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { openDatabase } from "../open-database.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { createFromEntities, describeTables, postgresDrift } from "../testing/schema-drift.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import { checkDatabase, migrateDatabase, pendingMigrations } from "./migrate-database.ts";

test.each(CONTEXTS)("every migration of %s is in the list under its name, in order", (context) => {
  const names = MIGRATIONS[context].map(({ name }) => name);
  expect(names).toEqual(MIGRATION_NAMES[context]);
  expect(names).toEqual(names.toSorted());
});

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
      MIGRATION_NAMES[context].map((name) => `${context}/${name}`),
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

  test("refuses a database of a trial before the first release, and changes nothing", async () => {
    await using place = await openTestPlace(type);
    await migrateDatabase(place.config);
    await runIn(place.config, [
      `update ${MIGRATIONS_TABLE.catalog} set name = 'Migration20261121000000_first'`,
    ]);
    const refused = {
      name: "TrialDatabaseError",
      message: expect.stringMatching(/^A trial before release 0\.1\.0 made this database, .*empty/),
    };
    for (const migrate of [true, false]) {
      await expect(openDatabase(place.config, { migrate })).rejects.toMatchObject(refused);
      await expect(checkDatabase(place.config, { migrate })).rejects.toMatchObject(refused);
    }
    await expect(migrateDatabase(place.config)).rejects.toMatchObject(refused);
    await expect(pendingMigrations(place.config)).rejects.toMatchObject(refused);
  });

  test("updates a database that has the first migration only, and keeps its rows", async () => {
    await using place = await openTestPlace(type);
    await migrateDatabase(place.config);
    const later = CONTEXTS.flatMap((context) =>
      MIGRATIONS[context].slice(1).map((migration) => `${context}/${migration.name}`),
    );
    await runIn(place.config, [
      "alter table webhooks drop column reaches",
      "alter table source_states drop column recent_errors",
      "alter table publish_targets drop column last_success_at",
      "drop table action_jobs",
      "drop table idempotent_answers",
      ...["actor", "subject", "type"].map(
        (column) => `drop index audit_log_${column}_at_index${OF_TABLE[type]}`,
      ),
      `drop index host_tokens_created_at_id_index${type === "MySql" ? " on host_tokens" : ""}`,
      ...(type === "MySql" ? [] : ["drop table npm_search_words"]),
      "drop table npm_search_entries",
      ...(type === "PostgreSQL" ? ["drop function npm_search_follow()"] : []),
      ...CONTEXTS.map(
        (context) => `delete from ${MIGRATIONS_TABLE[context]} where name <> '${FIRST_MIGRATION}'`,
      ),
      "insert into webhooks (id, url, events, format, origin, enabled, created_at) " +
        `values ('w-1', 'https://x.example/', '[]', 'CloudEvents', 'database', ` +
        `${TRUE[type]}, ${NOW[type]})`,
    ]);
    expect(await pendingMigrations(place.config)).toEqual(later);
    await using database = await openDatabase(place.config);
    expect(await pendingMigrations(place.config)).toEqual([]);
    const [webhook] = await database.events.webhooks.list();
    expect(webhook).toMatchObject({ id: "w-1", allowsPrivateNetwork: false });
  });

  test("lists pending migrations without applying them", async () => {
    await using place = await openTestPlace(type);
    const pending = await pendingMigrations(place.config);
    expect(pending).toHaveLength(CONTEXTS.flatMap((one) => MIGRATION_NAMES[one]).length);
    expect(await pendingMigrations(place.config)).toEqual(pending);
    expect((await migrateDatabase(place.config)).applied).toEqual(pending);
    expect(await pendingMigrations(place.config)).toEqual([]);
  });
});

afterAll(leaveTestServers);

/** Migrates as a newer release does that has one more migration. */
async function migrateAsNewer(config: DatabaseConfig, ...further: readonly string[]) {
  await migrateDatabase(config);
  const newer = `insert into ${MIGRATIONS_TABLE.catalog} (name) values ('Migration2099_x')`;
  await runIn(config, [newer, ...further]);
}

async function runIn(config: DatabaseConfig, statements: readonly string[]) {
  const connections = await openConnections(config);
  for (const sql of statements) await connections.port.run({ sql }, []);
  await closeConnections(connections);
}

/** Further words of `drop index`. */
const OF_TABLE = {
  Sqlite: "",
  PostgreSQL: "",
  MySql: " on audit_log",
  SqlServer: " on audit_log",
};
const TRUE = { Sqlite: "1", PostgreSQL: "true", MySql: "1", SqlServer: "1" };
const NOW = {
  Sqlite: "1764547200000",
  PostgreSQL: "now()",
  MySql: "now()",
  SqlServer: "sysutcdatetime()",
};

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
