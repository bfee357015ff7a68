import { afterAll, describe, expect, test } from "vitest";
import { DatabaseUnavailableError } from "./errors.ts";
import { leaveTestServers, testableDatabases } from "./testing/index.ts";
import { openMigratedPlace } from "./testing/open-test-database.ts";
import { closeConnections, openConnections } from "./transactions/connections.ts";
import type { BareTransaction } from "./transactions/unit-of-work.ts";
import { createWriteProbe } from "./write-probe.ts";

const ALWAYS = { success: 0, failure: 0 };
const now = () => new Date();

describe.each(testableDatabases())("%s", (type) => {
  test("a write probe leaves no row, and removes one that a crash left", async () => {
    await using place = await openMigratedPlace(type);
    const connections = await openConnections(place.config);
    const { port, queries } = connections;
    const { check: probe } = createWriteProbe(queries, { now, ages: ALWAYS });
    const rows = () => port.all({ sql: "select document_key from documents" }, []);
    await probe();
    expect(await rows()).toEqual([]);

    let written = 0;
    const { check: crashing } = createWriteProbe(
      {
        ...queries,
        async run(statement, values) {
          if (written > 0) throw new Error("killed");
          written += 1;
          return queries.run(statement, values);
        },
      },
      { now },
    );
    await expect(crashing()).rejects.toThrow("killed");
    expect(await rows()).toHaveLength(1);
    await probe();
    expect(await rows()).toEqual([]);
    await closeConnections(connections);
  });
});

test("SQLite: rejects while no page is free, and resolves when there is space again", async () => {
  await using place = await openMigratedPlace("Sqlite");
  const connections = await openConnections(place.config);
  if (connections.type !== "Sqlite") throw new Error("not SQLite");
  const { writer } = connections.port;
  const { check: probe } = createWriteProbe(connections.queries, { now, ages: ALWAYS });
  await probe();
  writer.exec("vacuum");
  const pages = Number(writer.pragma("page_count", { simple: true }));
  writer.pragma(`max_page_count = ${pages}`);
  await expect(probe()).rejects.toMatchObject({ code: "database-full" });
  writer.pragma(`max_page_count = ${pages * 2}`);
  await probe();
  await closeConnections(connections);
});

test("callers share one write, until it is too old", async () => {
  let writes = 0;
  const queries = { run: async () => (writes += 1), one: fail, all: fail };
  const { check: shared } = createWriteProbe(queries, { now });
  await Promise.all([shared(), shared()]);
  await shared();
  expect(writes).toBe(2);
  const { check: fresh } = createWriteProbe(queries, { now, ages: ALWAYS });
  await fresh();
  await fresh();
  expect(writes).toBe(6);
});

test("rejects after a transaction that found the database full, until it is too old", async () => {
  const queries = { run: async () => 1, one: fail, all: fail };
  const refusing = (code: "database-full" | "database-busy"): BareTransaction => {
    return () => Promise.reject(new DatabaseUnavailableError("no", { code }));
  };
  const work = async () => undefined;
  const kept = createWriteProbe(queries, { now });
  await expect(kept.watching(refusing("database-busy"))(work)).rejects.toThrow("no");
  await kept.check();
  await expect(kept.watching(refusing("database-full"))(work)).rejects.toThrow("no");
  await expect(kept.check()).rejects.toMatchObject({ code: "database-full" });
  const old = createWriteProbe(queries, { now, ages: ALWAYS });
  await expect(old.watching(refusing("database-full"))(work)).rejects.toThrow("no");
  await old.check();
});

function fail(): never {
  throw new Error("reads nothing");
}

afterAll(leaveTestServers);
