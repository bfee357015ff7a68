import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { databaseSettings, runInProcess } from "../testing/index.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-places-"));
  await writeFile(join(folder, "file"), "This is no folder and no database, whatever reads it.");
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(leaveTestServers);

/** Output of `serve` and `config check` with these settings, without the log. */
async function bothWith(own: Readonly<Record<string, string>>) {
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    ASPNETCORE_URLS: "http://127.0.0.1:0",
    Host__DataPath: join(folder, "data"),
    Database__StartTimeout: "00:00:00",
    ...own,
  };
  const check = await runInProcess(["config", "check"], { folder, env });
  const serve = await runInProcess(["serve"], { folder, env, stop: AbortSignal.timeout(20_000) });
  return { check, serve };
}

const inFolder = (path: string) => join(folder, path);

test.each<[string, () => Record<string, string>, RegExp]>([
  [
    "a data folder below a file",
    () => ({ Host__DataPath: inFolder("file/data") }),
    /data does not exist and cannot be created: .*file is not a folder\. .* set Host__DataPath to /,
  ],
  [
    "a data folder that is a file",
    () => ({ Host__DataPath: inFolder("file") }),
    /^Host__DataPath: the folder .*file is not a folder\. Correct/,
  ],
  [
    "a storage folder that is a file",
    () => ({ Storage__Path: inFolder("file") }),
    /^Storage__Path: the folder .*file is not a folder\. Correct.* set Storage__Path/,
  ],
  [
    "a SQLite file below a file",
    () => ({ Database__ConnectionString: `Data Source=${inFolder("file/feed.db")}` }),
    /^Database__ConnectionString: the folder .*file is not a folder\./,
  ],
  [
    "a key ring and a storage folder below a file",
    () => ({
      Host__DataProtection__KeyPath: inFolder("file/k"),
      Storage__Path: inFolder("file/s"),
    }),
    /^Host__DataProtection__KeyPath: .*file is not a folder.*\nStorage__Path: .*file is not a/,
  ],
])("serve and config check refuse %s with the same text", async (_what, settings, words) => {
  const { check, serve } = await bothWith(settings());
  expect(check.stderr).toMatch(words);
  expect([serve.code, serve.stderr]).toEqual([78, check.stderr]);
  expect(check.code).toBe(78);
});

test("serve and config check report a SQLite file that is not a database", async () => {
  const settings = { Database__ConnectionString: `Data Source=${inFolder("file")}` };
  const { check, serve } = await bothWith(settings);
  expect(serve.stderr).toMatch(/^Cannot open the SQLite file ".*file": file is not a database/);
  expect(check.stderr).toContain(serve.stderr);
  expect(check.stderr).toMatch(/correct Database__ConnectionString\.$/);
  expect([serve.code, check.code]).toEqual([1, 1]);
});

test("config check creates neither folders nor a database", async () => {
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: inFolder("data") };
  await mkdir(inFolder("store"));
  const options = { folder, env: { ...env, Storage__Path: inFolder("store") } };
  const ran = await runInProcess(["config", "check"], options);
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  await expect(rm(inFolder("data"), { recursive: true })).rejects.toThrow("ENOENT");
});

test("serve and config check warn about a misspelt section", async () => {
  const env = { Databse__Type: "PostgreSQL", Host__DataPath: inFolder("file") };
  const { check, serve } = await bothWith(env);
  const words =
    "Databse__Type (from environment variable Databse__Type) is not a known setting; " +
    "did you mean Database__Type?";
  expect(check.stderr).toContain(words);
  expect(serve.printed).toContain(words);
});

const servers = testableDatabases().filter((type) => type !== "Sqlite");

type ServerCase = [string, (port: number) => Record<string, string | number>, RegExp];

const refused: readonly ServerCase[] = [
  ["does not answer", (port) => ({ port }), /does not answer: .*ECONNREFUSED/],
  ["has no such database", () => ({ database: "sealhouse_absent" }), /sealhouse_absent/],
];
/** The MariaDB of the tests lets every user in. */
const noUser: ServerCase = [
  "has no such user",
  () => ({ user: "sealhouse_nobody", password: "wrong" }),
  /nobody/,
];

describe.each(servers)("%s", (type) => {
  test.each([...refused, ...(type === "PostgreSQL" ? [noUser] : [])])(
    "serve and config check name a server that %s",
    async (_what, changed, words) => {
      await using place = await openTestPlace(type);
      if (place.config.type === "Sqlite") throw new Error("not a server");
      const config = { ...place.config, ...changed(await closedPort()) };
      const { check, serve } = await bothWith(databaseSettings(config));
      expect(serve.stderr).toMatch(words);
      expect(check.stderr).toContain(serve.stderr);
      expect(check.stderr).toMatch(/ Start the database, or correct Database__ConnectionString\.$/);
      expect([serve.code, check.code]).toEqual([1, 1]);
    },
  );

  test("config check lets a database be that lacks migrations, unless they are off", async () => {
    await using place = await openTestPlace(type);
    const { config } = place;
    const env = {
      ...databaseSettings(config),
      ASPNETCORE_ENVIRONMENT: "Development",
      Host__DataPath: inFolder("data"),
    };
    const good = await runInProcess(["config", "check"], { folder, env });
    expect([good.code, good.stderr]).toEqual([0, ""]);
    const { check, serve } = await bothWith({
      ...databaseSettings(config),
      RunMigrationsAtStartup: "false",
    });
    expect(serve.stderr).toMatch(/^The database lacks \d+ migrations/);
    expect(check.stderr).toContain(serve.stderr);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
