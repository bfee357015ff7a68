import {
  CompiledQuery,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type {
  DatabaseConnection,
  MysqlPool as KyselyMysqlPool,
  MysqlPoolConnection,
  MysqlQueryResult,
} from "kysely";
import type { Database } from "better-sqlite3";
import type { Connection, Pool as MysqlPool } from "mysql2";
import type { Client, Pool } from "pg";
import { MYSQL_ANSWER_TIMEOUT_MS, isUnanswered } from "../raw/mysql-errors.ts";
import type { Connections } from "../transactions/connections.ts";

// What MikroORM works on: our own connections, which closing the ORM does not close.

/** Connections that MikroORM migrates over; SQL Server's migrations do without it. */
export type OrmConnections = Exclude<Connections, { readonly type: "SqlServer" }>;

export function kyselyOf(connections: OrmConnections): Kysely<unknown> {
  switch (connections.type) {
    case "Sqlite":
      return kyselyOverSqlite(connections.port.writer);
    case "PostgreSQL":
      return kyselyOverPool(connections.port.pool);
    case "MySql":
      return kyselyOverMysqlPool(connections.port.pool);
  }
}

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

function kyselyOverPool(pool: Pool): Kysely<unknown> {
  const connect = () => pool.connect();
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { options: pool.options, connect, end: async () => undefined },
    }),
  });
}

/** Uses one connection, which the caller opens and closes. */
export function kyselyOverClient(client: Client): Kysely<unknown> {
  const connection = Object.assign(client, { release: () => undefined });
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { options: {}, connect: async () => connection, end: async () => undefined },
    }),
  });
}

function kyselyOverMysqlPool(pool: MysqlPool): Kysely<unknown> {
  return kyselyOverMysql((take) =>
    pool.getConnection((error, connection) => {
      const release = () => connection.release();
      if (error) take(error, connection);
      else take(null, reserved(connection, { release, timeout: MYSQL_ANSWER_TIMEOUT_MS }));
    }),
  );
}

/** Uses one connection, which the caller opens and closes. */
export function kyselyOverMysqlConnection(connection: Connection): Kysely<unknown> {
  return kyselyOverMysql((take) => take(null, reserved(connection, { release: () => undefined })));
}

function kyselyOverMysql(getConnection: KyselyMysqlPool["getConnection"]): Kysely<unknown> {
  return new Kysely({ dialect: new MysqlDialect({ pool: { getConnection, end: endLater } }) });
}

function endLater(ended: (error: unknown) => void): void {
  ended(null);
}

/** Reserves a connection for one transaction; discards it when it does not answer in time. */
function reserved(
  connection: Connection,
  { release, timeout }: { readonly release: () => void; readonly timeout?: number },
): MysqlPoolConnection {
  return {
    config: connection.config,
    threadId: connection.threadId,
    connect: (connected) => connection.connect(connected),
    destroy: () => connection.destroy(),
    release,
    query(sql, values, answered) {
      const question = { sql, values, ...(timeout !== undefined && { timeout }) };
      return connection.query(question, (error, result) => {
        if (isUnanswered(error)) connection.destroy();
        answered?.(error, result as MysqlQueryResult);
      });
    },
  };
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
