// Connections of tests. They load the drivers, so that tests which need only SQLite need no driver.
// They are separate, because the exported declarations must not need the types of the drivers.
import type { Connection, ConnectionOptions } from "mysql2/promise";
import type { Client, ClientConfig } from "pg";

export async function connectMariadb(options: ConnectionOptions): Promise<Connection> {
  const { createConnection } = await import("mysql2/promise");
  return createConnection(options);
}

export async function connectPostgres(config: ClientConfig): Promise<Client> {
  const { Client } = await import("pg");
  const client = new Client(config);
  await client.connect();
  return client;
}
