import { afterAll, describe, expect, test } from "vitest";
import { openDatabase } from "./open-database.ts";
import { openConnections, closeConnections } from "./transactions/connections.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./schema/contexts.ts";
import { migrateDatabase } from "./schema/migrate-database.ts";
import { startChild } from "./testing/child.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "./testing/index.ts";
import { MIGRATION_NAMES } from "./migrations/names.ts";

describe.each(testableDatabases())("%s", (type) => {
  test("three concurrent processes migrate an empty database successfully", async () => {
    await using place = await openTestPlace(type);
    const startTime = String(Date.now() + 4_000);
    const config = JSON.stringify(place.config);
    const applied = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = startChild("./child-migrate.ts", config, startTime);
        const [lines] = await Promise.all([Array.fromAsync(child.lines), child.ended]);
        return Number(lines[0]);
      }),
    );
    expect(applied.toSorted((a, b) => a - b)).toEqual([
      0,
      0,
      Object.values(MIGRATION_NAMES).flat().length,
    ]);
    const connections = await openConnections(place.config);
    for (const context of CONTEXTS) {
      const sql = `select name from ${MIGRATIONS_TABLE[context]}`;
      expect(await connections.port.all({ sql }, [])).toHaveLength(MIGRATION_NAMES[context].length);
    }
    await closeConnections(connections);
  });

  test("a killed process leaves only complete, acknowledged publishes", async () => {
    await using place = await openTestPlace(type);
    await migrateDatabase(place.config);
    const child = startChild("./child-publish.ts", JSON.stringify(place.config));
    const acknowledged: string[] = [];
    for await (const line of child.lines) {
      const [status, version] = line.split(" ");
      if (status === "recorded" && version !== undefined) acknowledged.push(version);
      if (acknowledged.length === 60) child.process.kill("SIGKILL");
    }
    await child.ended;

    await using database = await openDatabase(place.config);
    const stored = (await database.nuget.lookup.versions("acme.killed")).map(
      (record) => record.version,
    );
    const events = await database.events.outbox.pending("test", 10_000);
    expect(stored).toEqual(expect.arrayContaining(acknowledged));
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(
      stored.map((version) => `nuget/Acme.Killed@${version}`).toSorted(),
    );
    for (const version of stored) {
      expect(await database.nuget.lookup.find("acme.killed", version)).toBeDefined();
    }
    const connections = await openConnections(place.config);
    const blobs = await connections.port.all({ sql: "select id from blobs" }, []);
    expect(blobs).toHaveLength(stored.length);
    await closeConnections(connections);
  });

  test("lookups on a current schema do not load MikroORM", async () => {
    await using place = await openTestPlace(type);
    await migrateDatabase(place.config);
    const child = startChild("./child-look-up.ts", JSON.stringify(place.config));
    const [lines] = await Promise.all([Array.fromAsync(child.lines), child.ended]);
    expect(lines).toEqual(["[]"]);
  });
});

afterAll(leaveTestServers);
