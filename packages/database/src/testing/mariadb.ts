import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection, ConnectionOptions, RowDataPacket } from "mysql2/promise";
import { parseConnectionString } from "../connection-string.ts";
import type { MysqlConfig } from "../connection-string.ts";
import { connectLastingMariadb, connectMariadb, keptConnections } from "./connect.ts";
import { answers, freePort, serverUser, startServer } from "./server-process.ts";

/** A throw-away MariaDB server on a random port of this machine, or a server that was named. */
export interface TestMariaDb extends AsyncDisposable {
  createDatabase(): Promise<MysqlConfig>;
  /** Removes every row outside of the tables named; ids begin at 1 again. */
  emptyDatabase(config: MysqlConfig, except: readonly string[]): Promise<void>;
}

/** The server program, or undefined when this machine has none. */
export function mariadbServer(): string | undefined {
  const places = [
    process.env["SEALHOUSE_TEST_MARIADBD"],
    "/usr/sbin/mariadbd",
    "/usr/local/sbin/mariadbd",
    "/opt/homebrew/opt/mariadb/bin/mariadbd",
  ];
  return places.find((place) => place !== undefined && existsSync(place));
}

/** Starts a server without any durability and without its own accounts, for tests alone. It ends
 * with this process. */
export async function startMariadb(program: string): Promise<TestMariaDb> {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-mariadb-"));
  const data = join(folder, "data");
  mkdirSync(data);
  const user = await serverUser("mysql", "nobody");
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const port = await freePort();
  const settings = {
    datadir: data,
    // Every server that starts removes temporary tables from its folder, also those of others.
    tmpdir: folder,
    port,
    socket: join(folder, "socket"),
    "bind-address": "127.0.0.1",
    "character-set-server": "utf8mb4",
    "max-connections": 300,
    "innodb-flush-log-at-trx-commit": 0,
    "innodb-flush-method": "nosync",
    "innodb-doublewrite": 0,
    "innodb-file-per-table": 0,
    "innodb-buffer-pool-size": "64M",
    "innodb-log-file-size": "32M",
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const bare = ["--no-defaults", "--skip-grant-tables", "--skip-name-resolve", "--skip-log-bin"];
  const server = startServer({ program, args: [...bare, ...flags], folder, signal: "KILL", user });
  const place = { host: "127.0.0.1", port, user: "tests" };
  await answers(async () => (await connectMariadb(place)).end());
  return {
    ...databasesAt({ type: "MySql", ...place, database: "", ssl: "disable" }),
    [Symbol.asyncDispose]: () => server.end(),
  };
}

/** The server of `TEST_MYSQL_URL`; its account creates databases. */
export function givenMysql(): MysqlConfig | undefined {
  const url = process.env["TEST_MYSQL_URL"];
  return url ? parseConnectionString("MySql", url) : undefined;
}

/** Creates databases next to that of `server`, and drops them at the end. */
export function mysqlAt(server: MysqlConfig): TestMariaDb {
  const created: string[] = [];
  const databases = databasesAt(server);
  return {
    ...databases,
    async createDatabase() {
      const config = await databases.createDatabase();
      created.push(config.database);
      return config;
    },
    async [Symbol.asyncDispose]() {
      await using connection = await connectMariadb(optionsOf(server));
      for (const database of created.splice(0)) {
        await connection.query(`drop database ${database}`);
      }
    },
  };
}

function databasesAt(server: MysqlConfig): Omit<TestMariaDb, typeof Symbol.asyncDispose> {
  const connectionOf = keptConnections((database, onEnd) =>
    connectLastingMariadb({ ...optionsOf(server), database }, onEnd),
  );
  return {
    async createDatabase() {
      const database = `test_${randomBytes(6).toString("hex")}`;
      await using connection = await connectMariadb(optionsOf(server));
      await connection.query(`create database ${database} character set utf8mb4`);
      return { ...server, database };
    },
    async emptyDatabase({ database }, except) {
      await emptyTables(await connectionOf(database), except);
    },
  };
}

function optionsOf({ host, port, user, password }: MysqlConfig): ConnectionOptions {
  return { host, port, user, ...(password !== undefined && { password }) };
}

async function emptyTables(connection: Connection, except: readonly string[]): Promise<void> {
  type Table = RowDataPacket & { readonly name: string; readonly next: number | null };
  const [tables] = await connection.query<Table[]>(
    `select table_name as name, auto_increment as next from information_schema.tables
     where table_schema = database()`,
  );
  const emptied = tables
    .filter(({ name }) => !except.includes(name))
    .flatMap(({ name, next }) => [
      `delete from ${name}`,
      ...(Number(next) > 1 ? [`alter table ${name} auto_increment = 1`] : []),
    ]);
  await connection.query(["set foreign_key_checks = 0", ...emptied].join(";"));
}
