import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeEach, afterEach, describe, expect, test } from "vitest";
import type { Transaction, Unit } from "./transactions/unit-of-work.ts";
import { openTestParts } from "./testing/open-test-parts.ts";
import type { TestParts } from "./testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "./testing/index.ts";

const POOL_MAX = 2;
const SLEEP = {
  PostgreSQL: "select pg_sleep(60)",
  MySql: "select sleep(25)",
  SqlServer: "waitfor delay '00:01:00'",
  Sqlite: "",
};
const SESSION = {
  PostgreSQL: "select pg_backend_pid() as id",
  MySql: "select connection_id() as id",
  SqlServer: "select @@spid as id",
  Sqlite: "",
};

const servers = testableDatabases().filter((type) => type !== "Sqlite");

describe.each(servers)("%s", (type) => {
  let parts: TestParts;
  beforeEach(async () => {
    parts = await openTestParts(type, { poolMax: POOL_MAX });
  });
  afterEach(() => parts[Symbol.asyncDispose]());

  const sessionOf = async ({ read }: Pick<Unit, "read">) =>
    Number((await read({ sql: SESSION[type] }, []))[0]?.["id"]);

  test.each(["in its work", "before its commit"])(
    "loses no pool connection when a session ends %s",
    async (moment) => {
      const { transaction } = parts.changes;
      for (let round = 0; round < POOL_MAX * 2; round += 1) {
        const lost = transaction(async (unit) => {
          await unit.run(INSERT, [`lost ${round}`, new Date()]);
          await endSession(parts, await sessionOf(unit));
          if (moment === "in its work") await unit.read({ sql: "select name from leases" }, []);
        });
        await expect(lost).rejects.toThrow(/terminat|closed|lost|connection/i);
      }
      await expectWholePool(transaction);
      expect(await parts.connections.port.all({ sql: "select name from leases" }, [])).toEqual([]);
    },
  );

  test("replaces connections whose sessions end while the pool holds them", async () => {
    const { transaction } = parts.changes;
    const ids = new Set<number>();
    const meet = meeting(POOL_MAX);
    await Promise.all(
      Array.from({ length: POOL_MAX }, () =>
        transaction(async (unit) => {
          ids.add(await sessionOf(unit));
          await meet();
        }),
      ),
    );
    expect(ids.size).toBe(POOL_MAX);
    for (const id of ids) await endSession(parts, id);
    // A call before the driver notices the loss fails once, without further cost.
    await transaction(sessionOf).catch(() => undefined);
    await expectWholePool(transaction);
  });

  test("closes a connection whose rollback times out", async () => {
    const { transaction } = parts.changes;
    const seen: number[] = [];
    const first = new Error("the first error");
    const stuck = Array.from({ length: POOL_MAX }, () =>
      transaction(async (unit) => {
        seen.push(await sessionOf(unit));
        unit.read({ sql: SLEEP[type] }, []).catch(() => undefined);
        throw first;
      }),
    );
    const refused = { status: "rejected", reason: first };
    expect(await Promise.allSettled(stuck)).toEqual([refused, refused]);
    // A rollback that waited for the server would have kept the connection.
    expect(seen).not.toContain(await transaction(sessionOf));
    await expectWholePool(transaction);
  });

  test("reports a transaction that the server rolled back during its work", async () => {
    const { transaction } = parts.changes;
    const swallowed = transaction(async (unit) => {
      await unit.run(INSERT, ["x", new Date()]);
      await unit.run({ sql: "insert into no_such_table values (1)" }, []).catch(() => undefined);
    });
    // MariaDB takes back the statement alone, the others the whole transaction.
    if (type === "MySql") await swallowed;
    else await expect(swallowed).rejects.toThrow("rolled back");
    const rows = await parts.connections.port.all({ sql: "select name from leases" }, []);
    expect(rows).toHaveLength(type === "MySql" ? 1 : 0);
  });
});

afterAll(leaveTestServers);

const INSERT = {
  sql: "insert into leases (name, holder, fence, held_until) values (?, 'h', 1, ?)",
};

/** All connections at once are inside a transaction, and each sees its own rows alone. */
async function expectWholePool(transaction: Transaction): Promise<void> {
  const meet = meeting(POOL_MAX);
  await Promise.all(
    Array.from({ length: POOL_MAX }, () =>
      transaction(async ({ read }) => {
        expect(await read({ sql: "select name from leases" }, [])).toEqual([]);
        await meet();
      }),
    ),
  );
}

/** Resolves after this many events. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come === count) resolve();
    return promise;
  };
}

async function endSession({ connections }: TestParts, id: number): Promise<void> {
  if (connections.type === "PostgreSQL") {
    const client = await connections.port.connect();
    await client.query("select pg_terminate_backend($1, 5000)", [id]);
    await client.end();
  } else if (connections.type === "MySql") {
    const connection = await connections.port.connect();
    await connection.promise().query(`kill connection ${id}`);
    connection.destroy();
    await wait(20);
  } else if (connections.type === "SqlServer") {
    const session = await connections.port.connect();
    await session.batch(`kill ${id}`);
    session.close();
  }
}
