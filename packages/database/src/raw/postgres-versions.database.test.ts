import { kill } from "node:process";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Client } from "pg";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { PostgresConfig } from "../connection-string.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { randomOf } from "../testing/random.ts";
import { connectPostgres } from "../testing/connect.ts";
import { createPostgresVersions } from "./postgres-versions.ts";
import type { PostgresVersions } from "./postgres-versions.ts";
import { openPostgres } from "./postgres.ts";
import type { Row, Statement } from "./query-port.ts";
import { createServerRowCache } from "./row-cache.ts";

const WITHIN = { timeout: 30_000 };
const READ: Statement = { name: "test-n", sql: "select n from counted", recall: "rows" };
const VERSION_PIDS = `select pid from pg_stat_activity
  where query like '%sealhouse.session%' and datname = current_database()
    and pid <> pg_backend_pid()`;

afterAll(leaveTestServers);

describe.runIf(testableDatabases().includes("PostgreSQL"))("PostgreSQL", () => {
  test("the version changes with each commit, and with nothing else", async () => {
    const { config } = await openPlace();
    const { versions, clients } = await openVersions(config);
    const writer = await connect(config);
    const other = await connect(config);
    await writer.query("create table counted (n integer)");
    await other.query("create table others (n integer)");

    // The server's own jobs may commit in between.
    await vi.waitFor(async () => {
      const start = await versions.current();
      await writer.query("select * from counted");
      await writer.query("begin; select * from counted; commit");
      expect(await versions.current()).toBe(start);
      expect(versions.earlier()).toBe(start);
    }, WITHIN);

    const start = await versions.current();
    await writer.query("begin; insert into counted values (1)");
    const open = await versions.current();
    await other.query("insert into others values (1)");
    const afterOther = await versions.current();
    expect(afterOther).not.toBe(open);
    await writer.query("savepoint s; insert into counted values (2); release s; commit");
    const afterOpen = await versions.current();
    expect(afterOpen).not.toBe(afterOther);
    expect(afterOpen).not.toBe(start);
    expect(clients).toHaveLength(1);
  });

  test("a read that begins after a commit sees it, however late answers arrive", async () => {
    const { config } = await openPlace();
    const random = randomOf(20_261_125);
    const late = async () => {
      for (let turns = Math.floor(random() * 6); turns > 0; turns -= 1) await yieldToEventLoop();
    };
    const writer = await connect(config);
    await writer.query("create table counted (id integer primary key, n integer)");
    await writer.query("insert into counted select id, 0 from generate_series(0, 3) as id");
    const readers = await Promise.all([openLateReader(config, late), openLateReader(config, late)]);
    const committed = [0, 0, 0, 0];
    const seen = { reads: 0, old: 0 };
    const work = async (reader: LateReader) => {
      for (let step = 0; step < 250; step += 1) {
        const key = Math.floor(random() * committed.length);
        if (random() < 0.04) {
          await writer.query("update counted set n = n + 1 where id = $1", [key]);
          committed[key] = (committed[key] ?? 0) + 1;
        }
        const least = committed[key] ?? 0;
        seen.reads += 1;
        if ((await reader.read(key)) < least) seen.old += 1;
        if (random() < 0.3) await yieldToEventLoop();
      }
    };
    await Promise.all(readers.flatMap((reader) => Array.from({ length: 6 }, () => work(reader))));
    expect(seen).toEqual({ reads: 3_000, old: 0 });
    const lookups = readers.reduce((sum, reader) => sum + reader.lookups(), 0);
    expect(lookups).toBeLessThan(seen.reads);
  });

  test("the version is unknown after another process of the server answers", async () => {
    const { config } = await openPlace();
    const { versions, clients } = await openVersions(config);
    const before = await versions.current();
    await clients[0]?.query("select set_config('sealhouse.session', 'other', false)");
    expect(await versions.current()).toBeUndefined();
    expect(versions.earlier()).toBeUndefined();
    const after = await untilKnown(versions);
    expect(after).not.toBe(before);
  });

  test("a lost connection of the pool also replaces the connection of versions", async () => {
    const { config } = await openPlace();
    const { versions } = await openVersions(config);
    const before = await versions.current();
    versions.renew();
    expect(versions.earlier()).toBeUndefined();
    expect(await untilKnown(versions)).not.toBe(before);
  });

  test.each(["its connection of versions ends", "the server crashes"])(
    "an instance finds a new row after %s",
    async (fault) => {
      const { config } = await openPlace();
      const port = await openPostgres(config);
      onTestFinished(() => port.close());
      await port.run({ sql: "create table counted (n integer)" }, []);
      await port.run({ sql: "insert into counted values (1)" }, []);
      const { versions } = port;
      if (!versions) throw new Error("no versions");
      const before = await vi.waitFor(async () => {
        const version = await versions.current();
        expect(version).toBeDefined();
        return version;
      }, WITHIN);
      for (let count = 0; count < 2; count += 1) expect(await port.one(READ, [])).toEqual({ n: 1 });

      const admin = await connect(config);
      // A crash loses what came after; these servers sync nothing at a commit.
      await admin.query("checkpoint");
      const { rows } = await admin.query<{ pid: number }>(VERSION_PIDS);
      const isCrash = fault === "the server crashes";
      for (const { pid } of rows) kill(pid, isCrash ? "SIGKILL" : "SIGTERM");
      // The server ends all connections, also those that it takes before it notices the crash.
      if (isCrash)
        await vi.waitFor(() => expect(admin.query("select 1")).rejects.toThrow(), WITHIN);
      const writer = await vi.waitFor(() => connect(config), WITHIN);
      await writer.query("update counted set n = 2");
      const found = await vi.waitFor(() => port.one(READ, []), WITHIN);
      expect(found).toEqual({ n: 2 });
      const after = await vi.waitFor(async () => {
        const version = await versions.current();
        expect(version).toBeDefined();
        return version;
      }, WITHIN);
      expect(after).not.toBe(before);
      await writer.query("update counted set n = 3");
      expect(await port.one(READ, [])).toEqual({ n: 3 });
    },
  );
});

type LateReader = {
  readonly read: (key: number) => Promise<number>;
  readonly lookups: () => number;
};

/** Reads through a cache. Each answer of the database waits for `late` before the reader has it. */
async function openLateReader(
  config: PostgresConfig,
  late: () => Promise<void>,
): Promise<LateReader> {
  const client = await connect(config);
  const versions = createPostgresVersions(async () => {
    const asked = await connect(config);
    return {
      async query(...call) {
        const result = await asked.query<Row>(...call);
        await late();
        return result;
      },
      on: (event, listener) => asked.on(event, listener),
      end: () => asked.end(),
    };
  });
  onTestFinished(() => versions.close());
  await untilKnown(versions);
  let lookups = 0;
  const cached = createServerRowCache(versions, async (_, [key]) => {
    lookups += 1;
    const { rows } = await client.query<Row>("select n from counted where id = $1", [key]);
    await late();
    return rows;
  });
  return {
    read: async (key) => Number((await cached(READ, [key]))[0]?.["n"]),
    lookups: () => lookups,
  };
}

async function openPlace(): Promise<{ readonly config: PostgresConfig }> {
  const place = await openTestPlace("PostgreSQL");
  onTestFinished(() => place[Symbol.asyncDispose]());
  if (place.config.type !== "PostgreSQL") throw new Error("another database");
  return { config: place.config };
}

async function openVersions({ host, port, user, database }: PostgresConfig): Promise<{
  readonly versions: PostgresVersions;
  readonly clients: readonly Client[];
}> {
  const clients: Client[] = [];
  const versions = createPostgresVersions(async () => {
    const client = await connectPostgres({ host, port, user, database });
    clients.push(client);
    return client;
  });
  onTestFinished(() => versions.close());
  await untilKnown(versions);
  return { versions, clients };
}

function untilKnown(versions: PostgresVersions): Promise<unknown> {
  return vi.waitFor(async () => {
    const version = await versions.current();
    expect(version).toBeDefined();
    return version;
  }, WITHIN);
}

async function connect({ host, port, user, database }: PostgresConfig): Promise<Client> {
  const client = await connectPostgres({ host, port, user, database });
  client.on("error", ignoreError);
  onTestFinished(() => client.end().catch(ignoreError));
  return client;
}

function ignoreError(): void {}
