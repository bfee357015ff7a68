import { existsSync } from "node:fs";
import type { DatabaseConfig, SqliteConfig } from "../connection-string.ts";
import { SchemaMismatchError, TrialDatabaseError } from "../errors.ts";
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

/** Names of all migrations, with their context. */
export const ALL_MIGRATIONS = CONTEXTS.flatMap((context) =>
  MIGRATION_NAMES[context].map((name) => `${context}/${name}`),
);

/** Whether the database is a file that nothing has made yet. */
export function isAbsent(config: DatabaseConfig): config is SqliteConfig {
  return config.type === "Sqlite" && !existsSync(config.path);
}

/**
 * Migrates or verifies the schema. Loads MikroORM only for pending migrations.
 *
 * @returns the names of the applied migrations
 *
 * @throws SchemaMismatchError, TrialDatabaseError
 */
export async function ensureSchema(
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

/** The error for a database that lacks migrations. */
export function outdatedSchema(missing: readonly string[]): SchemaMismatchError {
  return new SchemaMismatchError(
    `The database lacks ${missing.length} migrations (${missing.join(", ")}). ` +
      `Run "sealhouse migrate", or allow the host to migrate when it starts.`,
  );
}

/** The error for a database of a newer release, or of a trial. */
export function refusalOf(
  state: Extract<SchemaState, { readonly status: "newer" | "trial" }>,
): SchemaMismatchError | TrialDatabaseError {
  if (state.status === "trial") return new TrialDatabaseError();
  return new SchemaMismatchError(
    `A newer release has migrated this database (${state.unknown.join(", ")}). ` +
      `Run that release, or restore the backup from before.`,
  );
}
