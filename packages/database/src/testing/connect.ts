// Connections of tests. They load the drivers, so that tests which need only SQLite need no driver.
// They are separate, because the exported declarations must not need the types of the drivers.
import { connect as openSocket, Socket } from "node:net";
import type { Connection, ConnectionOptions } from "mysql2/promise";
import type { Client, ClientConfig } from "pg";

/**
 * Keeps the connection of each database that tests reuse: a new one costs more than the statement.
 * Tests that are done do not wait for it, and the end of its server is not an error.
 */
export function keptConnections<Connected>(
  open: (database: string, onEnd: () => void) => Promise<Connected>,
): (database: string) => Promise<Connected> {
  const kept = new Map<string, Promise<Connected>>();
  return (database) => {
    const connection = kept.get(database) ?? open(database, () => kept.delete(database));
    kept.set(database, connection);
    return connection;
  };
}

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

/** For `keptConnections`. */
export async function connectLastingPostgres(
  config: ClientConfig,
  onEnd: () => void,
): Promise<Client> {
  const client = await connectPostgres(config);
  client.on("error", onEnd).once("end", onEnd);
  const { stream } = client.connection;
  if (stream instanceof Socket) stream.unref();
  return client;
}

/** For `keptConnections`. */
export async function connectLastingMariadb(
  options: ConnectionOptions,
  onEnd: () => void,
): Promise<Connection> {
  const { createConnection } = await import("mysql2/promise");
  const stream = openSocket(options.port ?? 0, options.host);
  const connection = await createConnection({ ...options, stream, multipleStatements: true });
  connection.on("error", onEnd);
  stream.once("close", onEnd);
  stream.unref();
  return connection;
}
