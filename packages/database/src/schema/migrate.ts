import { Migrator } from "@mikro-orm/migrations";
import type { Connections } from "../transactions/connections.ts";
import type { OrmConnections } from "./kysely.ts";
import { openOrms } from "./open-orm.ts";
import type { Orms } from "./open-orm.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import { applyStepByStep } from "./migrate-by-step.ts";
import type { Migrations } from "./migrate-by-step.ts";
import { withMigrationLock } from "./migration-lock.ts";

/**
 * Applies all pending migrations of both contexts under a lock, so that only one instance migrates.
 * Uses one transaction, except on MySQL, which commits after every change of a table.
 *
 * @returns the names of the applied migrations, with their context
 */
export async function migrate(connections: Connections): Promise<readonly string[]> {
  if (connections.type === "SqlServer") {
    const { migrateSqlServer } = await import("./migrate-sqlserver.ts");
    return migrateSqlServer(connections.port);
  }
  const { type, name } = connections;
  const migrations = await migrationsFor(type);
  return withMigrationLock(connections, async (kysely) => {
    const orms = await openOrms({ type, name, kysely }, (context) => ({
      extensions: [Migrator],
      migrations: {
        tableName: MIGRATIONS_TABLE[context],
        migrationsList: migrations[context],
        // Would write next to the program, where the folder may be read-only.
        snapshot: false,
        silent: true,
      },
    }));
    if (type === "MySql") return applyStepByStep(kysely, orms, migrations);
    return applyPending(orms);
  });
}

async function migrationsFor(type: OrmConnections["type"]): Promise<Migrations> {
  switch (type) {
    case "Sqlite":
      return (await import("../migrations/sqlite/list.ts")).MIGRATIONS;
    case "PostgreSQL":
      return (await import("../migrations/postgresql/list.ts")).MIGRATIONS;
    case "MySql":
      return (await import("../migrations/mysql/list.ts")).MIGRATIONS;
  }
}

async function applyPending(orms: Orms): Promise<readonly string[]> {
  const applied: string[] = [];
  // Looks for the migrations table, outside the transaction that SQLite's one connection is about
  // to be busy with.
  for (const context of CONTEXTS) await orms[context].migrator.getExecuted();
  await orms.catalog.em.fork().transactional(async (em) => {
    const transaction = em.getTransactionContext();
    for (const context of CONTEXTS) {
      const done = await orms[context].migrator.up({ transaction });
      applied.push(...done.map(({ name }) => `${context}/${name}`));
    }
  });
  return applied;
}
