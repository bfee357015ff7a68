import { expect, test } from "vitest";
import type { SqlServerConfig } from "../connection-string.ts";
import { startTdsServer } from "../testing/tds-server.ts";
import type { TdsAnswer, TdsRequest } from "../testing/tds-server.ts";
import { openSession } from "./sqlserver-session.ts";
import { unavailabilityOf } from "./unavailable.ts";

// The driver against a stand-in that speaks the protocol; no SQL Server is behind it.

const CONFIG: SqlServerConfig = {
  type: "SqlServer",
  host: "127.0.0.1",
  port: 1,
  user: "u",
  password: "Tr0ub4dor",
  database: "feed",
  ssl: "disable",
};

async function sessionTo(answerTo: (request: TdsRequest) => TdsAnswer, timeoutMs = 5_000) {
  const cleanUp = new AsyncDisposableStack();
  const server = cleanUp.use(await startTdsServer(answerTo));
  const session = await openSession({ ...CONFIG, port: server.port }, { timeoutMs });
  cleanUp.defer(() => session.close());
  return { session, server, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() };
}

const isSetting = ({ sql }: TdsRequest) => sql.startsWith("set ");
const OK: TdsAnswer = { changes: 0 };

test("sets up the session, and declares every parameter", async () => {
  await using opened = await sessionTo((request) => (isSetting(request) ? OK : { changes: 2 }));
  const { session, server } = opened;
  const sql = "update leases set holder = @1, fence = @2, held_until = @3 where name = @4";
  const types = ["nvarchar(128)", "bigint", "datetime2(3)", "nvarchar(255)"];
  const values = [undefined, 2 ** 53 - 1, new Date("2026-01-02T03:04:05.678Z"), "a"];
  expect(await session.execute(sql, values, types)).toEqual({ rows: [], changes: 2 });
  const texts = server.requests.map((request) => request.sql);
  expect(texts[0]).toMatch(/set quoted_identifier on[^]*set xact_abort on/);
  expect(texts[1]).toBe("set lock_timeout 10000");
  expect(server.requests.at(-1)).toEqual({
    sql,
    declaration: "@1 nvarchar(128), @2 bigint, @3 datetime2(3), @4 nvarchar(255)",
  });
});

test("reads each type of a column", async () => {
  const bytes = new Uint8Array(10_000).fill(0xfe);
  const row = {
    id: { bigint: 2n ** 53n - 1n },
    none: { bigint: null },
    name: { text: "päckage 📦" },
    absent: { text: null },
    listed: { flag: true },
    // Midnight and 123 ms of 2026-03-29.
    at: { time: { milliseconds: 123, days: 739_703 } },
    content: { bytes },
    gzip: { bytes: null },
  };
  await using opened = await sessionTo((request) => (isSetting(request) ? OK : { rows: [row] }));
  const { rows, changes } = await opened.session.execute("select", []);
  expect(changes).toBe(1);
  expect(rows).toEqual([
    {
      id: 2 ** 53 - 1,
      none: null,
      name: "päckage 📦",
      absent: null,
      listed: true,
      at: new Date("2026-03-29T00:00:00.123Z"),
      content: Buffer.from(bytes),
      gzip: null,
    },
  ]);
});

test("refuses a number that JavaScript cannot hold, and stays usable", async () => {
  const large = { rows: [{ size: { bigint: 2n ** 53n + 1n } }] };
  await using opened = await sessionTo((request) =>
    isSetting(request) ? OK : request.sql === "large" ? large : { changes: 1 },
  );
  await expect(opened.session.execute("large", [])).rejects.toThrow(/"size"/);
  expect((await opened.session.execute("small", [])).changes).toBe(1);
});

test("reports an error by its number, and stays usable", async () => {
  const error: TdsAnswer = { error: 2627, message: "Violation of PRIMARY KEY", isRolledBack: true };
  await using opened = await sessionTo((request) =>
    isSetting(request) ? OK : request.sql === "wrong" ? error : { changes: 1 },
  );
  await expect(opened.session.execute("wrong", [])).rejects.toMatchObject({ number: 2627 });
  expect(opened.session.isOpen()).toBe(true);
  expect((await opened.session.batch("right")).changes).toBe(1);
});

test("closes a connection whose statement takes too long", async () => {
  await using opened = await sessionTo((request) => (isSetting(request) ? OK : "nothing"), 50);
  await expect(opened.session.execute("slow", [])).rejects.toMatchObject({
    code: "database-busy",
    message: expect.stringContaining("50 ms"),
  });
  expect(opened.session.isOpen()).toBe(false);
});

test("notices a connection that the server closes", async () => {
  await using opened = await sessionTo((request) => (isSetting(request) ? OK : "close"));
  const error: unknown = await opened.session.execute("select", []).catch((one: unknown) => one);
  expect(unavailabilityOf(error)).toBe("database-unreachable");
  expect(opened.session.isOpen()).toBe(false);
});

test("names a server that does not answer, and no password", async () => {
  const error: unknown = await openSession(CONFIG).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    name: "DatabaseUnavailableError",
    code: "database-unreachable",
    message: expect.stringContaining("127.0.0.1:1"),
  });
  expect(JSON.stringify(error) + String(error)).not.toContain("Tr0ub4dor");
});
