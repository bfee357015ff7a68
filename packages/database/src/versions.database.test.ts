import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { DatabaseConfig } from "./connection-string.ts";
import type { QueryPort, Statement } from "./raw/query-port.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "./testing/index.ts";
import { randomOf } from "./testing/random.ts";
import { closeConnections, openConnections } from "./transactions/connections.ts";
import type { Connections } from "./transactions/connections.ts";
import { createTransaction } from "./transactions/create-transaction.ts";

const KEYS = 6;
const WORKERS = 8;
const STEPS = 400;

const READ: Statement = {
  name: "test-counted",
  sql: "select n from counted where id = ?",
  recall: "rows",
};
const RAISE: Statement = {
  name: "test-raise",
  sql: "update counted set n = n + 1 where id = ?",
};

afterAll(leaveTestServers);

describe.each(testableDatabases())("%s", (type) => {
  test("a read that begins after a commit of another instance sees it", async () => {
    const instances = await openInstances(type);
    const random = randomOf(20_261_125);
    const oneOf = <T>(list: readonly T[]): T | undefined =>
      list[Math.floor(random() * list.length)];
    /** Least number that a read must return when it begins now, by key. */
    const committed = Array.from({ length: KEYS }, () => 0);
    const seen = { reads: 0, late: 0 };

    const write = async (key: number) => {
      const instance = oneOf(instances);
      await instance?.raise(key, random() < 0.5 ? 0 : Math.floor(random() * 4));
      committed[key] = (committed[key] ?? 0) + 1;
    };
    const read = async (key: number) => {
      const least = committed[key] ?? 0;
      const n = await oneOf(instances)?.read(key);
      seen.reads += 1;
      if (Number(n) < least) seen.late += 1;
    };
    const work = async () => {
      for (let step = 0; step < STEPS; step += 1) {
        const key = Math.floor(random() * KEYS);
        await (random() < 0.04 ? write(key) : read(key));
        if (random() < 0.3) await yieldToEventLoop();
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));

    expect(seen.reads).toBeGreaterThan(WORKERS * STEPS * 0.9);
    expect(seen.late).toBe(0);
    // Each client after its own commit, at another instance.
    for (let key = 0; key < KEYS; key += 1) {
      for (const instance of instances) expect(await instance.read(key)).toBe(committed[key]);
    }
  });
});

type Instance = {
  readonly read: (key: number) => Promise<unknown>;
  /** Adds one in a transaction that stays open for `turns` of the event loop. */
  readonly raise: (key: number, turns: number) => Promise<void>;
};

async function openInstances(type: DatabaseConfig["type"]): Promise<readonly Instance[]> {
  const place = await openTestPlace(type);
  const first = await openConnections(place.config);
  const second = await openConnections(place.config);
  onTestFinished(async () => {
    await closeConnections(first);
    await closeConnections(second);
    await place[Symbol.asyncDispose]();
  });
  const { port } = first;
  await port.run({ sql: "create table counted (id integer primary key, n integer)" }, []);
  for (let key = 0; key < KEYS; key += 1) {
    await port.run({ sql: "insert into counted values (?, 0)" }, [key]);
  }
  // SQLite's other instances are other processes.
  return (type === "Sqlite" ? [first] : [first, second]).map(instanceOf);
}

function instanceOf(connections: Connections): Instance {
  const transaction = createTransaction(connections);
  const port: QueryPort = connections.port;
  return {
    read: async (key) => (await port.one(READ, [key]))?.["n"],
    async raise(key, turns) {
      if (turns === 0 || connections.type === "Sqlite") return void (await port.run(RAISE, [key]));
      await transaction(async (unit) => {
        await unit.run(RAISE, [key]);
        for (let turn = 0; turn < turns; turn += 1) await yieldToEventLoop();
      });
    },
  };
}
