import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openSqlite } from "./sqlite.ts";
import type { Statement } from "./query-port.ts";

const COUNT_OF = (table: string): Statement => ({
  name: `count-${table}`,
  sql: `select count(*) as n from "${table}"`,
  recall: "rows",
});

async function setUp(schema: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-versions-"));
  const open = () => {
    const port = openSqlite({ type: "Sqlite", path: join(folder, "test.db") });
    onTestFinished(() => port.close());
    return port;
  };
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const port = open();
  for (const sql of schema) await port.run({ sql }, []);
  return {
    port,
    other: open(),
    write: (sql: string) => port.run({ sql }, []),
    /** Returns the rows; the same object when they come from the cache. */
    read: async (table: string) => {
      await endOfTurn();
      return port.all(COUNT_OF(table), []);
    },
  };
}

const TWO = [`create table "tokens" (id integer)`, `create table "blobs" (id integer)`];

test("a commit of this process keeps what it has not changed", async () => {
  const { read, write } = await setUp(TWO);
  const before = { tokens: await read("tokens"), blobs: await read("blobs") };
  await write(`insert into "blobs" values (1)`);
  expect(await read("tokens")).toBe(before.tokens);
  expect(await read("blobs")).toEqual([{ n: 1 }]);
  await write(`update "tokens" set id = 2`);
  expect(await read("tokens")).not.toBe(before.tokens);
});

test("each table of a shared commit is read again", async () => {
  const { read, write } = await setUp(TWO);
  await Promise.all([read("tokens"), read("blobs")]);
  await Promise.all(
    [`"blobs"`, `"tokens"`].map((table) => write(`insert into ${table} values (1)`)),
  );
  expect([await read("tokens"), await read("blobs")]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
});

test("a commit of another process changes everything", async () => {
  const { other, read } = await setUp(TWO);
  const before = { tokens: await read("tokens"), blobs: await read("blobs") };
  await other.run({ sql: `insert into "blobs" values (1)` }, []);
  expect(await read("blobs")).toEqual([{ n: 1 }]);
  expect(await read("tokens")).not.toBe(before.tokens);
});

test.each([
  [
    "a text without a known form",
    [],
    `with x as (select 1 as id) insert into "blobs" select id from x`,
  ],
  ["an insert that replaces rows", [], `insert or replace into "blobs" values (1)`],
  [
    "a trigger",
    [`create trigger "follow" after insert on "blobs" begin insert into "tokens" values (9); end`],
    `insert into "blobs" values (1)`,
  ],
  [
    "a deletion that follows another",
    [
      `create table "owners" (id integer primary key)`,
      `create table "keys" (owner integer references "owners" (id) on delete cascade)`,
    ],
    `delete from "owners"`,
  ],
])("%s changes everything", async (_, schema, sql) => {
  const { read, write } = await setUp([...TWO, ...schema]);
  const before = await read("tokens");
  await write(sql);
  expect(await read("tokens")).not.toBe(before);
});

test("a trigger that another process adds is noticed", async () => {
  const { other, read, write } = await setUp(TWO);
  await write(`insert into "tokens" values (1)`);
  const follow = `insert into "blobs" values (1);`;
  await other.run({ sql: `create trigger t after insert on "tokens" begin ${follow} end` }, []);
  expect(await read("blobs")).toEqual([{ n: 0 }]);
  await write(`insert into "tokens" values (1)`);
  expect(await read("blobs")).toEqual([{ n: 1 }]);
});

test("work on the writing connection itself changes everything", async () => {
  const { port, read } = await setUp(TWO);
  await read("tokens");
  await port.inTurn(async () => void port.writer.exec(`insert into "tokens" values (1)`));
  expect(await read("tokens")).toEqual([{ n: 1 }]);
});

test("rows of a change that was rolled back are never read", async () => {
  const { port, read } = await setUp(TWO);
  await read("blobs");
  const failing = port.together(async () => {
    port.runInTurn({ sql: `insert into "blobs" values (1)` }, []);
    // Another look within the transaction, on the reading connection.
    expect(await port.all(COUNT_OF("blobs"), [])).toEqual([{ n: 0 }]);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await read("blobs")).toEqual([{ n: 0 }]);
  await port.run({ sql: `insert into "blobs" values (2)` }, []);
  expect(await read("blobs")).toEqual([{ n: 1 }]);
});
