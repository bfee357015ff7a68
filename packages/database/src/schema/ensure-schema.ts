import { existsSync } from "node:fs";
import type { DatabaseConfig, SqliteConfig } from "../connection-string.ts";
import { SchemaMismatchError, TrialDatabaseError } from "../errors.ts";
import { findRegistryId } from "../registry-id.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { MIGRATION_NAMES } from "../migrations/names.ts";
import { CONTEXTS } from "./contexts.ts";
import { createSqliteFile } from "./sqlite-file.ts";
import { schemaState } from "./state.ts";
import type { SchemaState } from "./state.ts";

/** Open connections of a database with a current schema. */
export type CurrentDatabase = {
  readonly connections: Connections;
  /** Names of the migrations that were applied now, with their context. */
  readonly applied: readonly string[];
};

/**
 * Connects, and migrates or verifies the schema. Loads MikroORM only for pending migrations; a new
 * SQLite file is a copy of an empty one.
 *
 * @throws DatabaseUnavailableError, DriverMissingError, SchemaMismatchError, TrialDatabaseError
 */
export async function openCurrent(
  config: DatabaseConfig,
  options: { readonly migrate: boolean },
): Promise<CurrentDatabase> {
  const isCopied = isAbsent(config) && options.migrate && (await createSqliteFile(config.path));
  if (isAbsent(config) && !options.migrate) throw outdatedSchema(ALL_MIGRATIONS);
  const connections = await openConnections(config);
  try {
    const applied = await ensureSchema(connections, options);
    return { connections, applied: isCopied ? [...ALL_MIGRATIONS, ...applied] : applied };
  } catch (error) {
    await closeConnections(connections);
    throw error;
  }
}

const ALL_MIGRATIONS = CONTEXTS.flatMap((context) =>
  MIGRATION_NAMES[context].map((name) => `${context}/${name}`),
);

function isAbsent(config: DatabaseConfig): config is SqliteConfig {
  return config.type === "Sqlite" && !existsSync(config.path);
}

async function ensureSchema(
  connections: Connections,
  options: { readonly migrate: boolean },
): Promise<readonly string[]> {
  const state = await schemaState(connections);
  switch (state.status) {
    case "current":
      return [];
    case "newer":
    case "trial":
      throw refusalOf(state);
    case "outdated":
  }
  if (!options.migrate) throw outdatedSchema(state.missing);
  const { migrate } = await import("./migrate.ts");
  return migrate(connections);
}

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

function outdatedSchema(missing: readonly string[]): SchemaMismatchError {
  return new SchemaMismatchError(
    `The database lacks ${missing.length} migrations (${missing.join(", ")}). ` +
      `Run "sealhouse migrate", or allow the host to migrate when it starts.`,
  );
}

function refusalOf(
  state: Extract<SchemaState, { readonly status: "newer" | "trial" }>,
): SchemaMismatchError | TrialDatabaseError {
  if (state.status === "trial") return new TrialDatabaseError();
  return new SchemaMismatchError(
    `A newer release has migrated this database (${state.unknown.join(", ")}). ` +
      `Run that release, or restore the backup from before.`,
  );
}
