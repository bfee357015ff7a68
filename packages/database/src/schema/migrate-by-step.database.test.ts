import type { Kysely } from "kysely";
import { afterAll, expect, test } from "vitest";
import { MIGRATIONS } from "../migrations/list.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { describeTables } from "../testing/schema-drift.ts";
import { MIGRATION_STEPS_TABLE } from "./contexts.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { applyStepByStep } from "./migrate-by-step.ts";
import { withMigrationLock } from "./migration-lock.ts";
import { schemaState } from "./state.ts";

test.runIf(testableDatabases().includes("MySql"))(
  "MySql: an interrupted migration resumes where it stopped",
  async () => {
    await using place = await openTestPlace("MySql");
    await using whole = await openTestPlace("MySql");
    const connections = await openConnections(place.config);
    for (const count of [1, 2, 3, 4, 5, 6, 8, 13, 21, 34]) {
      for (const isAnswerLost of [false, true]) {
        const cut = migrateUpTo(connections, { count, isAnswerLost });
        await expect(cut).rejects.toThrow("the server is gone");
        expect(await schemaState(connections)).toMatchObject({ status: "outdated" });
      }
    }
    await migrateDatabase(place.config);
    await migrateDatabase(whole.config);
    const steps = { sql: `select * from ${MIGRATION_STEPS_TABLE}` };
    expect(await connections.port.all(steps, [])).toEqual([]);
    const other = await openConnections(whole.config);
    expect(await describeTables(connections)).toEqual(await describeTables(other));
    for (const opened of [connections, other]) await closeConnections(opened);
  },
);

test.runIf(testableDatabases().includes("MySql"))(
  "MySql: a conflicting table stops a migration with its name and advice",
  async () => {
    await using place = await openTestPlace("MySql");
    const connections = await openConnections(place.config);
    await connections.port.run({ sql: "create table leases (id int)" }, []);
    const failed = /_first failed: Table 'leases' already exists.*restart/;
    await expect(migrateDatabase(place.config)).rejects.toThrow(failed);
    await expect(migrateDatabase(place.config)).rejects.toThrow(failed);
    await connections.port.run({ sql: "drop table leases" }, []);
    await migrateDatabase(place.config);
    await closeConnections(connections);
  },
);

afterAll(leaveTestServers);

/** The connection is lost with statement `count`, which may have been done all the same. */
async function migrateUpTo(
  connections: Connections,
  lost: { readonly count: number; readonly isAnswerLost: boolean },
): Promise<readonly string[]> {
  if (connections.type === "SqlServer") throw new Error("SQL Server migrates in one transaction.");
  return withMigrationLock(connections, (kysely) =>
    applyStepByStep(losing(kysely, lost), MIGRATIONS),
  );
}

function losing(
  kysely: Kysely<unknown>,
  { count, isAnswerLost }: { readonly count: number; readonly isAnswerLost: boolean },
): Kysely<unknown> {
  let left = count;
  const executeQuery: Kysely<unknown>["executeQuery"] = async (query) => {
    left -= 1;
    if (left <= 0 && !isAnswerLost) throw new Error("the server is gone");
    const result = await kysely.executeQuery(query);
    if (left <= 0) throw new Error("the server is gone");
    return result;
  };
  return Object.assign(Object.create(kysely) as Kysely<unknown>, { executeQuery });
}
