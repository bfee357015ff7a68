import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { MysqlConfig } from "../connection-string.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { mysqlValues } from "./mysql-values.ts";
import { openMysql } from "./mysql.ts";

test("converts values that the driver does not accept", () => {
  const time = new Date();
  const input = [undefined, "a", 1, true, time, new Uint8Array([1, 2])];
  expect(mysqlValues(input)).toEqual([null, "a", 1, true, time, Buffer.from([1, 2])]);
});

describe.runIf(testableDatabases().includes("MySql"))("MySql", () => {
  test("every session is strict, in UTC, and sees other commits", async () => {
    await using port = closing(await openMysql(await mysqlPlace()));
    const row = await port.one(
      {
        sql: `select @@sql_mode as mode, @@session.time_zone as zone, @@tx_isolation as isolation,
          @@session.wait_timeout as idle_s, @@max_statement_time as statement_s,
          @@collation_connection as rules, 'a' || 'b' as joined`,
      },
      [],
    );
    expect(row).toMatchObject({
      mode: expect.stringContaining("STRICT_ALL_TABLES"),
      zone: "+00:00",
      isolation: "READ-COMMITTED",
      idle_s: 60,
      statement_s: 30,
      rules: "utf8mb4_bin",
      joined: "ab",
    });
  });

  test("a long wait for a connection fails with an overload error", async () => {
    const place = await mysqlPlace();
    await using port = closing(await openMysql({ ...place, poolMax: 1 }, { poolWaitMs: 500 }));
    const taken = await port.reserve();
    const question = { sql: "select 1 as n" };
    await expect(port.one(question, [])).rejects.toMatchObject({ code: "database-overloaded" });
    const late = port.one(question, []);
    taken.release();
    expect(await late).toEqual({ n: 1 });
    expect(await port.one(question, [])).toEqual({ n: 1 });
  });

  test("values round-trip with and without preparation", async () => {
    await using port = closing(await openMysql(await mysqlPlace()));
    const create = `create table kept (id bigint primary key, flag tinyint(1), word varchar(99),
      text longtext, at datetime(3), bytes longblob) collate utf8mb4_bin`;
    await port.run({ sql: create }, []);
    const time = new Date("2026-03-29T01:30:00.123Z");
    const text = "\u{1f9ad} \0 ' \" \\ ? \u00e9".repeat(20_000);
    const bytes = Buffer.alloc(5_000_000, 0xfe);
    for (const name of [undefined, "keep"]) {
      const options = name !== undefined && { name };
      const id = 2 ** 53 - 1;
      const row = [id, true, "Word", text, time, bytes] as const;
      const insert = "insert into kept values (?, ?, ?, ?, ?, ?)";
      expect(await port.run({ ...options, sql: insert }, row)).toBe(1);
      const read = { ...(name !== undefined && { name: "read" }), sql: FIND };
      const storedRow = await port.one(read, [id, "Word", time, 1]);
      expect(storedRow).toMatchObject({ id, flag: 1, word: "Word", at: time });
      expect(storedRow?.["text"] === text).toBe(true);
      expect(bytes.equals(Buffer.from(Object(storedRow?.["bytes"])))).toBe(true);
      expect(await port.one(read, [id, "word", time, 1])).toBeUndefined();
      expect(await port.run({ sql: "delete from kept" }, [])).toBe(1);
    }
    await expect(
      port.run({ sql: "insert into kept (id, word) values (1, ?)" }, ["x".repeat(100)]),
    ).rejects.toThrow(/too long/);
  });

  test("an unchanged row counts as changed, and a duplicate key has its own error", async () => {
    await using parts = await openTestParts("MySql");
    const { port } = parts.connections;
    const insert = { sql: "insert into document_groups (name, revision) values ('a', 1)" };
    await port.run(insert, []);
    await expect(port.run(insert, [])).rejects.toMatchObject({ name: "UniqueKeyError" });
    const same = { sql: "update document_groups set revision = 1 where name = 'a'" };
    expect(await port.run(same, [])).toBe(1);
  });

  test("repeats transactions after a deadlock", async () => {
    await using parts = await openTestParts("MySql");
    const { changes } = parts;
    await changes.transaction((unit) => changes.stale(unit, "a"));
    await changes.transaction((unit) => changes.stale(unit, "b"));
    let attempts = 0;
    const cross = (first: string, second: string) =>
      changes.transaction(async (unit) => {
        attempts += 1;
        await changes.stale(unit, first);
        await wait(50);
        await changes.stale(unit, second);
      });
    await Promise.all([cross("a", "b"), cross("b", "a")]);
    expect(attempts).toBeGreaterThan(2);
    expect(await parts.database.documents.revision("a")).toBe(3);
    expect(await parts.database.documents.revision("b")).toBe(3);
  });

  test("replaces a connection that the server closed", async () => {
    await using port = closing(await openMysql(await mysqlPlace()));
    const statement = { name: "one", sql: "select 1 as one" };
    const id = await port.one({ sql: "select connection_id() as id" }, []);
    await port.run({ sql: `kill ${Number(id?.["id"])}` }, []).catch(() => undefined);
    await wait(50);
    expect(await port.one(statement, [])).toEqual({ one: 1 });
  });

  test("uses TLS where the server supports it, and requires it when configured", async () => {
    const config = await mysqlPlace();
    await using port = closing(await openMysql({ ...config, ssl: "prefer" }));
    expect(await port.one({ sql: "select 1 as one" }, [])).toEqual({ one: 1 });
    await expect(openMysql({ ...config, ssl: "require" })).rejects.toMatchObject({
      name: "DatabaseUnavailableError",
      message: expect.stringContaining("secure connection"),
    });
    const full = openMysql({ ...config, ssl: "verify-full" });
    await expect(full).rejects.toThrow(/127\.0\.0\.1 is an address/);
  });
});

afterAll(leaveTestServers);

const FIND = `select id, flag, word, text, at, bytes from kept
  where id = ? and word = ? and at = ? limit ?`;

async function mysqlPlace(): Promise<MysqlConfig> {
  const { config } = await openTestPlace("MySql");
  if (config.type !== "MySql") throw new Error(config.type);
  return config;
}

function closing<T extends { close(): Promise<void> }>(opened: T): T & AsyncDisposable {
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
}
