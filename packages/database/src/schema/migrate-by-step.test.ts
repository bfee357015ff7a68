import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { closeConnections, openConnections } from "../orm/connections.ts";
import { openTestPlace, stopTestCluster, testableDatabases } from "../testing/index.ts";
import { describeTables } from "../testing/schema-drift.ts";
import { MIGRATION_STEPS_TABLE } from "./contexts.ts";
import { migrateDatabase } from "./ensure-schema.ts";

test.runIf(testableDatabases().includes("MySql"))(
  "MySql: a migration that was cut off goes on where it stopped, however often",
  async () => {
    await using place = await openTestPlace("MySql");
    await using whole = await openTestPlace("MySql");
    const watching = await openConnections(place.config);
    const { port } = watching;
    const stepsDone = async () => {
      const sql = `select coalesce(sum(done), 0) as done from ${MIGRATION_STEPS_TABLE}`;
      const row = await port.one({ sql }, []).catch(() => undefined);
      return Number(row?.["done"] ?? 0);
    };
    const others = { sql: "select id from information_schema.processlist where db = database()" };
    const cutOff = async () => {
      for (const { id } of await port.all(others, [])) {
        await port.run({ sql: `kill ${Number(id)}` }, []).catch(() => undefined);
      }
    };
    for (const after of [1, 7, 23]) {
      const migrating = migrateDatabase(place.config).then(
        () => "whole",
        () => "cut off",
      );
      while ((await stepsDone()) < after) await wait(2);
      await cutOff();
      expect(await migrating).toBe("cut off");
    }
    await migrateDatabase(place.config);
    await migrateDatabase(whole.config);
    expect(await stepsDone()).toBe(0);
    const other = await openConnections(whole.config);
    const connections = await openConnections(place.config);
    expect(await describeTables(connections)).toEqual(await describeTables(other));
    for (const opened of [connections, other, watching]) await closeConnections(opened);
  },
);

afterAll(stopTestCluster);
