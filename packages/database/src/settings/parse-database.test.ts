import { createSettings, readSources } from "@sealhouse/settings";
import { describe, expect, test } from "vitest";
import { parseDatabase } from "./parse-database.ts";
import { DATABASE_SETTINGS } from "./table.ts";

const MISSING = "/no/such/authority.pem";

/** Parses the settings of an environment; `problems` has what an operator reads. */
function parsed(env: Readonly<Record<string, string>>) {
  const table = DATABASE_SETTINGS;
  const sources = { environmentKey: "App__Environment", args: [], folders: [] };
  const { entries } = readSources({ ...sources, table, env, readFile: () => undefined });
  const settings = createSettings(entries, { table, env });
  return { start: parseDatabase(settings, "data"), problems: settings.problems };
}

test.each([
  ["PostgreSQL", `Host=db;Username=u;Database=d;SSL Mode=VerifyFull;Root Certificate=${MISSING}`],
  ["MySql", `Server=db;Uid=u;Database=d;SslMode=VerifyFull;SslCa=${MISSING}`],
  ["SqlServer", `Server=db;User=u;Database=d;Encrypt=Strict;ServerCertificate=${MISSING}`],
])("%s: a missing file of certificate authorities names the setting", (type, text) => {
  const env = { Database__Type: type, Database__ConnectionString: text };
  expect(parsed(env).problems).toEqual([
    expect.stringMatching(
      /Database__ConnectionString: .* at "Root Certificate": the file cannot be read: ENOENT/,
    ),
  ]);
});

test("without settings, the database is a file below the data folder", () => {
  expect(parsed({})).toEqual({
    start: {
      database: { type: "Sqlite", path: "data/sealhouse.db", setting: "Host__DataPath" },
      migrateAtStart: true,
      databaseStartTimeoutMs: 60_000,
      keepContentMs: 0,
    },
    problems: [],
  });
});

test("reads the times and the switch of a start", () => {
  const env = {
    RunMigrationsAtStartup: "false",
    Database__StartTimeout: "00:00:00",
    Feed__History__KeepContent: "30.00:00:00",
  };
  expect(parsed(env).start).toMatchObject({
    migrateAtStart: false,
    databaseStartTimeoutMs: 0,
    keepContentMs: 30 * 24 * 60 * 60_000,
  });
});

describe("the connection string", () => {
  const SERVER = "Host=db;Username=u;Database=d";
  const postgres = { type: "PostgreSQL", host: "db", database: "d" };

  test.each([
    ["the setting itself", { Database__ConnectionString: SERVER }],
    ["the entry of the type", { ConnectionStrings__PostgreSQL: SERVER }],
    ["the entry of another spelling", { ConnectionStrings__Postgres: SERVER }],
    [
      "the named entry",
      { Database__ConnectionStringName: "Feeds", ConnectionStrings__Feeds: SERVER },
    ],
    [
      "the setting itself before the named entry",
      {
        Database__ConnectionString: SERVER,
        Database__ConnectionStringName: "Feeds",
        ConnectionStrings__Feeds: "Host=other;Username=u;Database=other",
      },
    ],
    [
      "the named entry before the entry of the type",
      {
        Database__ConnectionStringName: "Feeds",
        ConnectionStrings__Feeds: SERVER,
        ConnectionStrings__PostgreSQL: "Host=other;Username=u;Database=other",
      },
    ],
    [
      "the entry of the type before the one of another spelling",
      {
        ConnectionStrings__PostgreSQL: SERVER,
        ConnectionStrings__Postgres: "Host=other;Username=u;Database=other",
      },
    ],
  ])("comes from %s", (_source, env) => {
    const { start, problems } = parsed({ Database__Type: "Postgres", ...env });
    expect(problems).toEqual([]);
    expect(start.database).toMatchObject(postgres);
  });

  test.each([
    ["MySql", "MySql"],
    ["MariaDb", "MySql"],
    ["mariadb", "MySql"],
  ])("the type %s is %s", (spelling, type) => {
    const env = {
      Database__Type: spelling,
      ConnectionStrings__MariaDb: "Server=db;Uid=u;Database=d",
    };
    expect(parsed(env).start.database).toMatchObject({ type, host: "db" });
  });

  test.each(["PostgreSQL", "MySql", "SqlServer"])("is required for %s", (type) => {
    expect(parsed({ Database__Type: type }).problems).toEqual([
      expect.stringMatching(
        `ConnectionString: is required for ${type}, here or as ConnectionStrings__${type}`,
      ),
    ]);
  });

  test("a name without an entry is a problem", () => {
    const env = { Database__Type: "PostgreSQL", Database__ConnectionStringName: "Feeds" };
    expect(parsed(env).problems).toContainEqual(
      expect.stringMatching(/Database__ConnectionStringName: there is no ConnectionStrings__Feeds/),
    );
  });

  test("the setting of a file is named, and its path is unchanged", () => {
    const env = { Database__ConnectionString: "Data Source=./feed.db" };
    expect(parsed(env).start.database).toEqual({
      type: "Sqlite",
      path: "./feed.db",
      setting: "Database__ConnectionString",
    });
  });

  test("a file below /proc is a problem", () => {
    const env = { Database__ConnectionString: "Data Source=/proc/self/feed.db" };
    expect(parsed(env).problems).toEqual([
      expect.stringMatching(/Database__ConnectionString: .*is below \/proc, which stores no files/),
    ]);
  });

  test("a wrong one is a problem that names its part and no secret", () => {
    const secret = "Tr0ub4dor";
    const env = {
      Database__Type: "PostgreSQL",
      ConnectionStrings__Postgres: `Host=db;Username=u;Database=d;Password=${secret};Colour=red`,
    };
    const { problems, start } = parsed(env);
    expect(problems).toEqual([
      expect.stringMatching(/ConnectionStrings__Postgres: The database connection string is wrong/),
    ]);
    expect(problems.join()).not.toContain(secret);
    expect(start.database).toEqual({ type: "Sqlite", path: "data/sealhouse.db" });
  });
});
