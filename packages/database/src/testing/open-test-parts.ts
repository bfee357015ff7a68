import type { DatabaseConfig } from "../connection-string.ts";
import type { Database } from "../database.ts";
import { databaseOver } from "../database-over.ts";
import type { Changes } from "../transactions/changes.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { openMigratedPlace } from "./open-test-database.ts";

/** The inside of a database, for tests of this package alone. */
export interface TestParts extends AsyncDisposable {
  readonly config: DatabaseConfig;
  readonly connections: Connections;
  readonly changes: Changes;
  readonly database: Database;
}

export async function openTestParts(
  type: DatabaseConfig["type"],
  { now, ...options }: { readonly poolMax?: number; readonly now?: () => Date } = {},
): Promise<TestParts> {
  const place = await openMigratedPlace(type);
  const connections = await openConnections({ ...place.config, ...options });
  const { database, context } = databaseOver(connections, {
    clockThresholdMs: 0,
    documentCacheBytes: 1_000_000,
    ...(now && { now }),
  });
  return {
    config: place.config,
    connections,
    changes: context.changes,
    database,
    async [Symbol.asyncDispose]() {
      await closeConnections(connections);
      await place[Symbol.asyncDispose]();
    },
  };
}
