import type { DatabaseConfig } from "../connection-string.ts";
import type { PostgresConnections } from "../raw/postgres.ts";
import type { SqliteConnections } from "../raw/sqlite.ts";

/** The open connections of one database, by kind. Neither driver is loaded before it is needed. */
export type Connections =
  | { readonly type: "Sqlite"; readonly name: string; readonly port: SqliteConnections }
  | { readonly type: "PostgreSQL"; readonly name: string; readonly port: PostgresConnections };

/** @throws DatabaseUnavailableError */
export async function openConnections(config: DatabaseConfig): Promise<Connections> {
  if (config.type === "Sqlite") {
    const { openSqlite } = await import("../raw/sqlite.ts");
    return { type: "Sqlite", name: config.path, port: openSqlite(config) };
  }
  const { openPostgres } = await import("../raw/postgres.ts");
  return { type: "PostgreSQL", name: config.database, port: await openPostgres(config) };
}

/** Waits for the writes that are under way. */
export async function closeConnections({ type, port }: Connections): Promise<void> {
  if (type === "Sqlite") await port.inTurn(() => port.close());
  else await port.close();
}
