import type { DatabaseConfig } from "./connection-string.ts";

/** Names a database for its operator, without its password. */
export function placeOf(config: DatabaseConfig): string {
  switch (config.type) {
    case "Sqlite":
      return `The SQLite file "${config.path}"`;
    case "PostgreSQL":
      return `PostgreSQL at ${serverOf(config)}`;
    case "MySql":
      return `MySQL at ${serverOf(config)}`;
    case "SqlServer":
      return `SQL Server at ${serverOf(config)}`;
  }
}

type Server = Exclude<DatabaseConfig, { readonly type: "Sqlite" }>;

function serverOf({ host, port, database, user }: Server): string {
  return `${host}:${port} (database "${database}", user "${user}")`;
}
