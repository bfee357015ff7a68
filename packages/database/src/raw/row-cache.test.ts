import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Row, Statement } from "./query-port.ts";
import { createRowCache, createServerRowCache } from "./row-cache.ts";
import { openSqlite } from "./sqlite.ts";

const ROWS: Statement = { name: "rows", sql: "", recall: "rows" };
const ABSENCE: Statement = { name: "absence", sql: "", recall: "absence" };

function setUp(stored: Record<string, readonly Row[]>) {
  const state = { mark: 1 };
  const look = vi.fn((_: Statement, [key]: readonly unknown[]) => stored[String(key)] ?? []);
  return { state, look, read: createRowCache(() => state.mark, look) };
}

test("queries once per lookup until a commit", () => {
  const { state, look, read } = setUp({ a: [{ id: 1 }] });
  expect([read(ROWS, ["a"]), read(ROWS, ["a"])]).toEqual([[{ id: 1 }], [{ id: 1 }]]);
  expect(look).toHaveBeenCalledTimes(1);
  expect(read(ROWS, ["b"])).toEqual([]);
  expect(read(ROWS, ["a", "b"])).toEqual([{ id: 1 }]);
  expect(look).toHaveBeenCalledTimes(3);
  state.mark = 2;
  read(ROWS, ["a"]);
  read(ROWS, ["b"]);
  expect(look).toHaveBeenCalledTimes(5);
});

test("caches only the absence of large rows", () => {
  const { look, read } = setUp({ a: [{ id: 1 }] });
  for (const key of ["a", "a", "none", "none"]) read(ABSENCE, [key]);
  expect(look.mock.calls.map(([, [key]]) => key)).toEqual(["a", "a", "none"]);
});

test("caches no other statements, and limits the number of entries", () => {
  const { look, read } = setUp({});
  for (const sql of ["x", "x"]) read({ name: sql, sql }, []);
  for (const sql of ["x", "x"]) read({ sql, recall: "rows" }, []);
  expect(look).toHaveBeenCalledTimes(4);
  for (let key = 0; key <= 4_096; key += 1) read(ROWS, [key]);
  look.mockClear();
  read(ROWS, [4_096]);
  read(ROWS, [0]);
  expect(look).toHaveBeenCalledTimes(1);
});

test("limits the bytes of the cache", () => {
  const large = { bytes: new Uint8Array(3 * 1024 * 1024) };
  const { state, look, read } = setUp({ a: [large], b: [large], c: [{ id: 1 }] });
  for (const key of ["a", "b", "c", "b", "c", "a"]) read(ROWS, [key]);
  expect(look.mock.calls.map(([, [key]]) => key)).toEqual(["a", "b", "c", "a"]);
  state.mark = 2;
  look.mockClear();
  for (const key of ["b", "b"]) read(ROWS, [key]);
  expect(look).toHaveBeenCalledTimes(1);
});

test("a writer finds its row, even when others queried before the commit", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-recall-"));
  const port = openSqlite({ type: "Sqlite", path: join(folder, "test.db") });
  onTestFinished(async () => {
    await port.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await port.run({ sql: "create table things (id integer)" }, []);
  const count: Statement = { name: "c", sql: "select count(*) as n from things", recall: "rows" };
  await port.one(count, []);
  await yieldToEventLoop();

  const written = port.run({ sql: "insert into things values (1)" }, []);
  // Asked in the turn of the commit, before it.
  await yieldToEventLoop();
  expect(await port.one(count, [])).toBeDefined();
  await written;
  expect(await port.one(count, [])).toEqual({ n: 1 });
});

describe("of a server", () => {
  function setUpServer() {
    const state: { version: number | undefined; last: number | undefined; n: number } = {
      version: 1,
      last: 1,
      n: 1,
    };
    const current = vi.fn(async () => (state.last = state.version));
    const look = vi.fn(async (): Promise<readonly Row[]> => [{ n: state.n }]);
    const read = createServerRowCache({ current, earlier: () => state.last }, look);
    return { state, current, look, read };
  }

  test("asks for the version only when it has cached rows", async () => {
    const { current, look, read } = setUpServer();
    await read(ROWS, ["a"]);
    expect(current).not.toHaveBeenCalled();
    expect(await read(ROWS, ["a"])).toEqual([{ n: 1 }]);
    expect([current, look].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  test("queries after a commit, and whenever the version is unknown", async () => {
    const { state, look, read } = setUpServer();
    await read(ROWS, ["a"]);
    Object.assign(state, { version: 2, n: 2 });
    expect(await read(ROWS, ["a"])).toEqual([{ n: 2 }]);
    expect(await read(ROWS, ["a"])).toEqual([{ n: 2 }]);
    expect(look).toHaveBeenCalledTimes(2);
    state.version = undefined;
    for (const key of ["a", "a", "b", "b"]) await read(ROWS, [key]);
    expect(look).toHaveBeenCalledTimes(6);
  });

  test("a lookup that begins without cached rows ignores those cached since", async () => {
    const { state, look, read } = setUpServer();
    const slow = Promise.withResolvers<readonly Row[]>();
    look.mockImplementationOnce(() => slow.promise);
    const first = read(ROWS, ["a"]);
    await yieldToEventLoop();
    // The commit comes after the first lookup has read, and before the second begins.
    Object.assign(state, { version: 2, n: 2 });
    slow.resolve([{ n: 1 }]);
    const second = read(ROWS, ["a"]);
    expect(await Promise.all([first, second])).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    expect(await read(ROWS, ["a"])).toEqual([{ n: 2 }]);
  });
});
