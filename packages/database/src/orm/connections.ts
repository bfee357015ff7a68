import type { DatabaseConfig } from "../connection-string.ts";
import type { MysqlConnections } from "../raw/mysql.ts";
import type { PostgresConnections } from "../raw/postgres.ts";
import type { SqliteConnections } from "../raw/sqlite.ts";

/** The open connections of one database, by kind. No driver is loaded before it is needed. */
export type Connections =
  | { readonly type: "Sqlite"; readonly name: string; readonly port: SqliteConnections }
  | { readonly type: "PostgreSQL"; readonly name: string; readonly port: PostgresConnections }
  | { readonly type: "MySql"; readonly name: string; readonly port: MysqlConnections };

/** @throws DatabaseUnavailableError */
export async function openConnections(config: DatabaseConfig): Promise<Connections> {
  switch (config.type) {
    case "Sqlite": {
      const { openSqlite } = await import("../raw/sqlite.ts");
      return { type: "Sqlite", name: config.path, port: openSqlite(config) };
    }
    case "PostgreSQL": {
      const { openPostgres } = await import("../raw/postgres.ts");
      return { type: "PostgreSQL", name: config.database, port: await openPostgres(config) };
    }
    case "MySql": {
      const { openMysql } = await import("../raw/mysql.ts");
      return { type: "MySql", name: config.database, port: await openMysql(config) };
    }
  }
}

/** Waits for the writes that are under way. */
export async function closeConnections({ port }: Connections): Promise<void> {
  await port.close();
}
