import type { DatabaseConfig } from "../connection-string.ts";
import { findRegistryId } from "../registry-id.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import {
  ALL_MIGRATIONS,
  ensureSchema,
  isAbsent,
  openCurrent,
  outdatedSchema,
  refusalOf,
} from "./current-schema.ts";
import { schemaState } from "./state.ts";

/**
 * Connects and checks the schema without changes; times out after five seconds. With `migrate`,
 * pending migrations are accepted. Returns the id of the registry, if the database has one;
 * undefined when migrations are pending.
 *
 * @throws DatabaseUnavailableError, SchemaMismatchError, TrialDatabaseError
 */
export async function checkDatabase(
  config: DatabaseConfig,
  { migrate }: { readonly migrate: boolean },
): Promise<{ readonly registryId: string | undefined } | undefined> {
  if (isAbsent(config)) {
    if (migrate) return undefined;
    throw outdatedSchema(ALL_MIGRATIONS);
  }
  const connections = await openConnections(config);
  try {
    const state = await schemaState(connections);
    if (state.status === "outdated" && migrate) return undefined;
    await ensureSchema(connections, { migrate: false });
    return { registryId: await findRegistryId(connections.queries) };
  } finally {
    await closeConnections(connections);
  }
}

/**
 * Brings a database up to date and closes it again.
 *
 * @throws DatabaseUnavailableError, SchemaMismatchError, TrialDatabaseError
 */
export async function migrateDatabase(
  config: DatabaseConfig,
): Promise<{ readonly applied: readonly string[] }> {
  const { connections, applied } = await openCurrent(config, { migrate: true });
  await closeConnections(connections);
  return { applied };
}

/**
 * Returns the names of the migrations that `migrateDatabase` would apply, with their context.
 * Changes nothing.
 *
 * @throws DatabaseUnavailableError, SchemaMismatchError, TrialDatabaseError
 */
export async function pendingMigrations(config: DatabaseConfig): Promise<readonly string[]> {
  if (isAbsent(config)) return ALL_MIGRATIONS;
  const connections = await openConnections(config);
  try {
    const state = await schemaState(connections);
    if (state.status === "newer" || state.status === "trial") throw refusalOf(state);
    return state.status === "outdated" ? state.missing : [];
  } finally {
    await closeConnections(connections);
  }
}
