import type { DatabaseConfig } from "./connection-string.ts";
import type { Database } from "./database.ts";
import type { DatabaseOptions } from "./database-options.ts";
import { databaseOver } from "./database-over.ts";
import { openCurrent } from "./schema/current-schema.ts";

/**
 * Connects, updates the schema, and provides the ports of all packages. Only a migration loads
 * MikroORM, because loading takes longer than the rest of the start.
 *
 * @throws DatabaseUnavailableError, DriverMissingError, SchemaMismatchError, TrialDatabaseError
 */
export async function openDatabase(
  config: DatabaseConfig,
  options: DatabaseOptions = {},
): Promise<Database> {
  const { connections } = await openCurrent(config, { migrate: options.migrate ?? true });
  return databaseOver(connections, options).database;
}
