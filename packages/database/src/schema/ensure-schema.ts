import type { DatabaseConfig } from "../connection-string.ts";
import { SchemaMismatchError } from "../errors.ts";
import { findRegistryId } from "../registry-id.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { schemaState } from "./state.ts";
import type { SchemaState } from "./state.ts";

/**
 * Migrates or verifies the schema. Loads MikroORM only for pending migrations.
 *
 * @returns the names of the applied migrations
 *
 * @throws SchemaMismatchError
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
  if (!options.migrate) {
    throw new SchemaMismatchError(
      `The database lacks ${state.missing.length} migrations (${state.missing.join(", ")}). ` +
        `Run "sealhouse migrate", or allow the host to migrate when it starts.`,
    );
  }
  const { migrate } = await import("./migrate.ts");
  return migrate(connections);
}

/**
 * Connects and checks the schema without changes; times out after five seconds. With `migrate`,
 * pending migrations are accepted. Returns the id of the registry, if the database has one;
 * undefined when migrations are pending.
 *
 * @throws DatabaseUnavailableError, SchemaMismatchError
 */
export async function checkDatabase(
  config: DatabaseConfig,
  { migrate }: { readonly migrate: boolean },
): Promise<{ readonly registryId: string | undefined } | undefined> {
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
 * @throws DatabaseUnavailableError, SchemaMismatchError
 */
export async function migrateDatabase(
  config: DatabaseConfig,
): Promise<{ readonly applied: readonly string[] }> {
  const connections = await openConnections(config);
  try {
    return { applied: await ensureSchema(connections, { migrate: true }) };
  } finally {
    await closeConnections(connections);
  }
}

/**
 * Returns the names of the migrations that `migrateDatabase` would apply, with their context.
 * Changes nothing.
 *
 * @throws DatabaseUnavailableError, SchemaMismatchError
 */
export async function pendingMigrations(config: DatabaseConfig): Promise<readonly string[]> {
  const connections = await openConnections(config);
  try {
    const state = await schemaState(connections);
    if (state.status === "newer" || state.status === "trial") throw refusalOf(state);
    return state.status === "outdated" ? state.missing : [];
  } finally {
    await closeConnections(connections);
  }
}

function refusalOf(
  state: Extract<SchemaState, { readonly status: "newer" | "trial" }>,
): SchemaMismatchError {
  if (state.status === "trial") {
    return new SchemaMismatchError(
      "A trial before release 0.1.0 made this database, which no release can update: " +
        "let Database__* name an empty database and publish again, " +
        "or keep running the trial's version.",
    );
  }
  return new SchemaMismatchError(
    `A newer release has migrated this database (${state.unknown.join(", ")}). ` +
      `Run that release, or restore the backup from before.`,
  );
}
