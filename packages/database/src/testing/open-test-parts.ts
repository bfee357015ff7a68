import type { DatabaseConfig } from "../connection-string.ts";
import { createDocumentStore } from "../documents/document-store.ts";
import { closeConnections, openConnections } from "../orm/connections.ts";
import type { Connections } from "../orm/connections.ts";
import { openWrites } from "../orm/open-writes.ts";
import type { Writes } from "../orm/open-writes.ts";
import { openMigratedPlace } from "./open-test-database.ts";

/** The inside of a database, for tests of this package alone. */
export interface TestParts extends AsyncDisposable {
  readonly config: DatabaseConfig;
  readonly connections: Connections;
  readonly writes: Writes;
  readonly documents: ReturnType<typeof createDocumentStore>;
}

export async function openTestParts(
  type: DatabaseConfig["type"],
  options: { readonly poolMax?: number } = {},
): Promise<TestParts> {
  const place = await openMigratedPlace(type);
  const connections = await openConnections({ ...place.config, ...options });
  const writes = await openWrites(connections, {
    now: () => new Date(),
    clockThresholdMs: 0,
    committed: () => {},
  });
  return {
    config: place.config,
    connections,
    writes,
    documents: createDocumentStore(connections.port, { type, cacheBytes: 1_000_000 }),
    async [Symbol.asyncDispose]() {
      await closeConnections(connections);
      await place[Symbol.asyncDispose]();
    },
  };
}
