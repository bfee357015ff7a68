import type { MigrationObject } from "@mikro-orm/core";
import { Migration as OrmMigration, Migrator } from "@mikro-orm/migrations";
import { MIGRATIONS } from "../migrations/list.ts";
import { statementsOf } from "../migrations/migration.ts";
import type { Migration } from "../migrations/migration.ts";
import type { Connections } from "../transactions/connections.ts";
import { openOrms } from "./open-orm.ts";
import type { Orms } from "./open-orm.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import { applyStepByStep } from "./migrate-by-step.ts";
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
  if (connections.type === "MySql") {
    return withMigrationLock(connections, (kysely) => applyStepByStep(kysely, MIGRATIONS));
  }
  const { type, name } = connections;
  const driver = type === "Sqlite" ? "sqlite" : "postgresql";
  return withMigrationLock(connections, async (kysely) => {
    const orms = await openOrms({ type, name, kysely }, (context) => ({
      extensions: [Migrator],
      migrations: {
        tableName: MIGRATIONS_TABLE[context],
        migrationsList: MIGRATIONS[context].map((one) => migrationObject(one, driver)),
        // Would write next to the program, where the folder may be read-only.
        snapshot: false,
        silent: true,
      },
    }));
    return applyPending(orms);
  });
}

function migrationObject(migration: Migration, driver: "sqlite" | "postgresql"): MigrationObject {
  return {
    name: migration.name,
    class: class extends OrmMigration {
      override up(): void {
        for (const sql of statementsOf(migration, driver)) this.addSql(sql);
      }
    },
  };
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
