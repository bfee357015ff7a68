import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConnectionPool } from "./connection-pool.ts";

type Fake = { readonly id: number; isOpen: boolean };

function poolOf(
  options: { readonly max?: number; readonly waitMs?: number; idleMs?: number } = {},
) {
  const opened: Fake[] = [];
  let failure: Error | undefined;
  const pool = new ConnectionPool<Fake>({
    max: 2,
    waitMs: 5_000,
    idleMs: 5_000,
    ...options,
    async open() {
      if (failure) throw failure;
      const connection = { id: opened.length, isOpen: true };
      opened.push(connection);
      return connection;
    },
    close: (connection) => (connection.isOpen = false),
    isOpen: ({ isOpen }) => isOpen,
    overloaded: () => new Error("overloaded"),
  });
  return { pool, opened, fail: (error: Error | undefined) => (failure = error) };
}

test("opens at most `max` connections, and gives free ones to those who wait", async () => {
  const { pool, opened } = poolOf();
  const [one, other] = [await pool.acquire(), await pool.acquire()];
  const waiting = pool.acquire();
  pool.release(other);
  expect(await waiting).toBe(other);
  expect(opened).toHaveLength(2);
  pool.release(one);
  expect(await pool.acquire()).toBe(one);
});

test("a long wait for a connection fails, and takes none away", async () => {
  const { pool } = poolOf({ max: 1, waitMs: 10 });
  const one = await pool.acquire();
  await expect(pool.acquire()).rejects.toThrow("overloaded");
  pool.release(one);
  expect(await pool.acquire()).toBe(one);
});

test("replaces connections that are closed or destroyed", async () => {
  const { pool, opened } = poolOf({ max: 1 });
  const one = await pool.acquire();
  const waiting = pool.acquire();
  pool.destroy(one);
  const second = await waiting;
  second.isOpen = false;
  pool.release(second);
  const third = await pool.acquire();
  pool.release(third);
  third.isOpen = false;
  expect((await pool.acquire()).id).toBe(3);
  expect(opened).toHaveLength(4);
});

test("a failed opening keeps no place", async () => {
  const { pool, fail } = poolOf({ max: 1 });
  fail(new Error("refused"));
  await expect(pool.acquire()).rejects.toThrow("refused");
  fail(undefined);
  expect((await pool.acquire()).isOpen).toBe(true);
});

test("closes connections after a time without use", async () => {
  const { pool, opened } = poolOf({ idleMs: 1 });
  pool.release(await pool.acquire());
  while (opened[0]?.isOpen) await wait(1);
  expect((await pool.acquire()).id).toBe(1);
});

test("the end waits for connections in use", async () => {
  const { pool, opened } = poolOf({ max: 2 });
  const [one, other] = [await pool.acquire(), await pool.acquire()];
  pool.release(other);
  let isEnded = false;
  const end = pool.end().then(() => (isEnded = true));
  await expect(pool.acquire()).rejects.toThrow("closed");
  expect(isEnded).toBe(false);
  pool.release(one);
  await end;
  expect(opened.some(({ isOpen }) => isOpen)).toBe(false);
});
