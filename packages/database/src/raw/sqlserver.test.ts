import { expect, test } from "vitest";
import type { SqlServerConfig } from "../connection-string.ts";
import { onEveryDatabase } from "../migrations/every-database.ts";
import { migrateSqlServer } from "../schema/migrate-sqlserver.ts";
import { inTransaction } from "./reserved-connection.ts";
import { decisiveError } from "./sqlserver-errors.ts";
import { configurationOf } from "./sqlserver-session.ts";
import type { SqlServerSession } from "./sqlserver-session.ts";
import { openSqlServer } from "./sqlserver.ts";

const CONFIG: SqlServerConfig = {
  type: "SqlServer",
  host: "db",
  port: 1433,
  user: "u",
  password: "p",
  database: "feed",
  ssl: "require",
};
const STATE = { version: 16, edition: 3, versioned: true };

const sqlError = (number: number) =>
  Object.assign(new Error(`error ${number}`), { number, code: "EREQUEST" });

/** Sessions that note their texts, and fail or answer by text. */
function fakeServer(answers: (sql: string) => readonly Record<string, unknown>[] | undefined) {
  const log: string[] = [];
  const sessions: SqlServerSession[] = [];
  const open = async () => {
    let isOpen = true;
    const answer = async (sql: string) => {
      if (!isOpen) throw Object.assign(new Error("closed"), { code: "ECLOSE" });
      log.push(sql.replaceAll(/\s+/g, " "));
      const rows = answers(sql) ?? (sql.includes("serverproperty") ? [STATE] : []);
      return { rows, changes: 1 };
    };
    const session = {
      execute: answer,
      batch: answer,
      isOpen: () => isOpen,
      close: () => void (isOpen = false),
    };
    sessions.push(session);
    return session;
  };
  return { open, log, sessions };
}

test.each([
  ["an old release", { ...STATE, version: 14 }, /older than SQL Server 2019/],
  ["no row versions", { ...STATE, versioned: false }, /set read_committed_snapshot on/],
])("refuses a server with %s", async (_, state, message) => {
  const { open, sessions } = fakeServer((sql) =>
    sql.includes("serverproperty") ? [state] : undefined,
  );
  await expect(openSqlServer(CONFIG, open)).rejects.toThrow(message);
  expect(sessions.every((session) => !session.isOpen())).toBe(true);
});

test("numbers the parameters of raw statements", async () => {
  const { open, log } = fakeServer(() => undefined);
  const port = await openSqlServer(CONFIG, open);
  await port.all({ sql: "select a from b where c = ? and d = ?" }, [1, 2]);
  await port.one({ sql: "select '?' where c = @1", types: ["bigint"] }, [1]);
  expect(log.slice(1)).toEqual([
    "select a from b where c = @1 and d = @2",
    "select '?' where c = @1",
  ]);
  await port.close();
});

test("repeats the victims of deadlocks, and reports taken keys", async () => {
  let attempts = 0;
  const { open } = fakeServer((sql) => {
    if (sql === "deadlock" && (attempts += 1) < 3) throw sqlError(1205);
    if (sql === "taken") throw sqlError(2601);
    return undefined;
  });
  const port = await openSqlServer(CONFIG, open);
  expect(await port.run({ sql: "deadlock" }, [])).toBe(1);
  expect(attempts).toBe(3);
  await expect(port.run({ sql: "taken" }, [])).rejects.toMatchObject({ code: "unique-key" });
  expect(port.isConflict(sqlError(2627))).toBe(true);
  expect(port.isConflict(sqlError(208))).toBe(false);
});

test("an error ends its transaction: nothing after it is executed", async () => {
  const { open, log } = fakeServer((sql) => {
    if (sql === "wrong") throw sqlError(547);
    return undefined;
  });
  const port = await openSqlServer(CONFIG, open);
  const swallowed = inTransaction(
    () => port.reserve(),
    async (connection) => {
      await connection.execute({ sql: "first" }, []);
      await connection.execute({ sql: "wrong" }, []).catch(() => undefined);
      await expect(connection.execute({ sql: "second" }, [])).rejects.toThrow("rolled back");
    },
  );
  await expect(swallowed).rejects.toThrow("The server rolled back the transaction.");
  expect(log.slice(1)).toEqual([
    "begin transaction",
    "first",
    "wrong",
    "if @@trancount > 0 rollback transaction",
  ]);
  await inTransaction(
    () => port.reserve(),
    (connection) => connection.execute({ sql: "third" }, []),
  );
  expect(log.at(-1)).toBe("commit transaction");
  await port.close();
});

test("a lost connection becomes an unavailable database and leaves the pool", async () => {
  const { open, sessions } = fakeServer(() => undefined);
  const port = await openSqlServer({ ...CONFIG, poolMax: 2 }, open);
  const lost = inTransaction(
    () => port.reserve(),
    async (connection) => {
      sessions.at(-1)?.close();
      return connection.execute({ sql: "select 1" }, []);
    },
  );
  await expect(lost).rejects.toMatchObject({ code: "ECLOSE" });
  await expect(port.all({ sql: "select 1" }, [])).resolves.toEqual([]);
  sessions.at(-1)?.close();
  await expect(port.all({ sql: "select 1" }, [])).resolves.toEqual([]);
});

test("of several errors of a request, the known one decides", () => {
  const taken = sqlError(2627);
  expect(decisiveError(new AggregateError([sqlError(3621), taken], "two errors"))).toBe(taken);
  expect(decisiveError(taken)).toBe(taken);
});

test("translates the TLS settings for the driver", () => {
  const optionsFor = (config: Partial<SqlServerConfig>) =>
    configurationOf({ ...CONFIG, ...config }, 1).options;
  expect(optionsFor({})).toMatchObject({ encrypt: true, trustServerCertificate: true, port: 1433 });
  expect(optionsFor({ ssl: "verify-full" })).toMatchObject({
    encrypt: true,
    trustServerCertificate: false,
  });
  expect(optionsFor({ ssl: "disable" })).toMatchObject({ encrypt: false });
  expect(optionsFor({ ssl: "verify-full", isStrict: true })).toMatchObject({ encrypt: "strict" });
  expect(optionsFor({ instance: "feeds" })).toMatchObject({ instanceName: "feeds" });
  expect(optionsFor({ instance: "feeds" })).not.toHaveProperty("port");
});

test("migrates under a lock, in one transaction, and only what is missing", async () => {
  const { open, log, sessions } = fakeServer((sql) => {
    if (sql.includes("sp_getapplock")) return [{ result: 0 }];
    return sql.startsWith("select name") ? [{ name: "Migration1_old" }] : undefined;
  });
  const migrations = {
    catalog: [
      { name: "Migration1_old", statements: onEveryDatabase(["create table a (b int)"]) },
      { name: "Migration2_new", statements: onEveryDatabase(["create table c (d int)"]) },
    ],
    identity: [],
  };
  const applied = await migrateSqlServer({ place: "SQL Server", connect: open }, migrations);
  expect(applied).toEqual(["catalog/Migration2_new"]);
  expect(log[0]).toContain("sp_getapplock");
  expect(log.slice(1).filter((sql) => !sql.startsWith("if object_id"))).toEqual([
    "begin transaction",
    "select name from sealhouse_migrations",
    "create table c (d int)",
    "insert into sealhouse_migrations (name) values (@1)",
    "select name from sealhouse_identity_migrations",
    "commit transaction",
  ]);
  expect(sessions.every((session) => !session.isOpen())).toBe(true);
});

test("waits no longer for another process that migrates", async () => {
  const { open } = fakeServer((sql) => (sql.includes("applock") ? [{ result: -1 }] : undefined));
  await expect(migrateSqlServer({ place: "SQL Server", connect: open })).rejects.toThrow(
    "Another process has been migrating",
  );
});
