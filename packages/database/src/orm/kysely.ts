import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { DatabaseConnection } from "kysely";
import type { Database } from "better-sqlite3";
import type { Client, Pool } from "pg";

// What MikroORM works on: our own connections, which closing the ORM does not close.

export function kyselyOverSqlite(writer: Database): Kysely<unknown> {
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ImmediateSqliteDriver({ database: writer }),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

export function kyselyOverPool(pool: Pool): Kysely<unknown> {
  const connect = () => pool.connect();
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { options: pool.options, connect, end: async () => undefined },
    }),
  });
}

/** Everything goes through one connection that somebody else opened and will close. */
export function kyselyOverClient(client: Client): Kysely<unknown> {
  const connection = Object.assign(client, { release: () => undefined });
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { options: {}, connect: async () => connection, end: async () => undefined },
    }),
  });
}

/**
 * Takes SQLite's write lock when a transaction begins. A transaction that begins as a reader fails
 * at its first write when another process wrote in between, and no waiting helps it.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  override async destroy(): Promise<void> {
    await Promise.resolve();
  }
}
