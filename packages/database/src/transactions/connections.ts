import type { DatabaseConfig } from "../connection-string.ts";
import type { MysqlConnections } from "../raw/mysql.ts";
import type { PostgresConnections } from "../raw/postgres.ts";
import type { SqlServerConnections } from "../raw/sqlserver.ts";
import type { SqliteConnections } from "../raw/sqlite.ts";
import { loadDriver } from "./load-driver.ts";
import { queriesOver } from "../statements/queries.ts";
import type { Queries } from "../statements/queries.ts";

/** Open connections of a database, by type. A driver is loaded when it is needed. */
export type Connections =
  | (Opened & { readonly type: "Sqlite"; readonly port: SqliteConnections })
  | (Opened & { readonly type: "PostgreSQL"; readonly port: PostgresConnections })
  | (Opened & { readonly type: "MySql"; readonly port: MysqlConnections })
  | (Opened & { readonly type: "SqlServer"; readonly port: SqlServerConnections });

type Opened = {
  readonly name: string;
  /** Executes typed statements, each in its own transaction. */
  readonly queries: Queries;
};

/** @throws DatabaseUnavailableError, DriverMissingError */
export async function openConnections(config: DatabaseConfig): Promise<Connections> {
  switch (config.type) {
    case "Sqlite": {
      const { openSqlite } = await import("../raw/sqlite.ts");
      const port = openSqlite(config);
      return { type: "Sqlite", name: config.path, port, queries: queriesOver("Sqlite", port) };
    }
    case "PostgreSQL": {
      const { openPostgres } = await loadDriver("PostgreSQL", () => import("../raw/postgres.ts"));
      const port = await openPostgres(config);
      const queries = queriesOver("PostgreSQL", port);
      return { type: "PostgreSQL", name: config.database, port, queries };
    }
    case "MySql": {
      const { openMysql } = await loadDriver("MySql", () => import("../raw/mysql.ts"));
      const port = await openMysql(config);
      return { type: "MySql", name: config.database, port, queries: queriesOver("MySql", port) };
    }
    case "SqlServer": {
      const { openSqlServer } = await loadDriver("SqlServer", () => import("../raw/sqlserver.ts"));
      const port = await openSqlServer(config);
      const queries = queriesOver("SqlServer", port);
      return { type: "SqlServer", name: config.database, port, queries };
    }
  }
}

/** Waits for running writes, then closes. */
export async function closeConnections({ port }: Connections): Promise<void> {
  await port.close();
}
