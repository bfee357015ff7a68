import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, globSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PostgresConfig } from "../connection-string.ts";
import type { Client } from "pg";
import { connectLastingPostgres, connectPostgres, keptConnections } from "./connect.ts";
import { answers, freePort, serverUser, startServer } from "./server-process.ts";

const run = promisify(execFile);

/** A throw-away PostgreSQL server on a random port of this machine. */
export interface TestCluster extends AsyncDisposable {
  createDatabase(): Promise<PostgresConfig>;
  /** Removes every row outside of the tables named; ids begin at 1 again. */
  emptyDatabase(config: PostgresConfig, except: readonly string[]): Promise<void>;
}

/** The folder with `postgres` and `initdb`, or undefined when this machine has none. */
export function postgresBinaries(): string | undefined {
  const places = [
    process.env["SEALHOUSE_TEST_POSTGRES_BIN"],
    ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
    ...globSync("/opt/homebrew/opt/postgresql@*/bin").toSorted().toReversed(),
    "/usr/local/pgsql/bin",
    "/usr/bin",
  ];
  return places.find((place) => place !== undefined && existsSync(join(place, "initdb")));
}

/** Starts a cluster without any durability, for tests alone. It ends with `binaries`' process. */
export async function startPostgres(binaries: string): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-pg-"));
  const user = await serverUser("postgres");
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const init = ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"];
  await run(join(binaries, "initdb"), [...init, "--locale=C.UTF-8"], { cwd: folder, ...user });
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    max_connections: 200,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = startServer({
    program: join(binaries, "postgres"),
    args: ["-D", data, ...flags],
    folder,
    signal: "QUIT",
    user,
  });
  const place = { host: "127.0.0.1", port, user: "postgres" };
  await answers(async () => (await connectPostgres(place)).end());
  const connectionOf = keptConnections((database, onEnd) =>
    connectLastingPostgres({ ...place, database }, onEnd),
  );
  return {
    createDatabase: () => createDatabase(port),
    async emptyDatabase({ database }, except) {
      await emptyTables(await connectionOf(database), except);
    },
    [Symbol.asyncDispose]: () => server.end(),
  };
}

async function createDatabase(port: number): Promise<PostgresConfig> {
  const database = `test_${randomBytes(6).toString("hex")}`;
  const config = { host: "127.0.0.1", port, user: "postgres" };
  const client = await connectPostgres({ ...config, database: "postgres" });
  await client.query(`create database ${database}`);
  await client.end();
  return { type: "PostgreSQL", ...config, database, ssl: "disable" };
}

async function emptyTables(client: Client, except: readonly string[]): Promise<void> {
  const names = (of: readonly string[]) => of.map((name) => client.escapeLiteral(name)).join();
  // One statement, for it runs once per test. As a replica nothing asks who refers to whom.
  await client.query(`do $$ declare name text; begin
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'public'
      and tablename not in (${names(except)}) loop
      execute format('delete from %I', name);
    end loop;
    for name in select sequencename from pg_sequences where last_value is not null
      and sequencename not in (${names(except.map((table) => `${table}_id_seq`))}) loop
      execute format('alter sequence %I restart', name);
    end loop;
  end $$`);
}
