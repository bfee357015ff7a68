import { hash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { Kysely } from "kysely";
import type { OrmConnections } from "./kysely.ts";
import { kyselyOverClient, kyselyOverMysqlConnection, kyselyOverSqlite } from "./kysely.ts";
import type { MysqlConnections } from "../raw/mysql.ts";
import type { PostgresConnections } from "../raw/postgres.ts";
import type { SqliteConnections } from "../raw/sqlite.ts";
import { LOCK_TIMEOUT_MS } from "../raw/sqlite-lock.ts";
import { LOCK_WAIT_MAX_MS, lockedTooLong } from "./migration-lock-timeout.ts";
import { CONTEXTS, MIGRATIONS_TABLE, MIGRATION_STEPS_TABLE } from "./contexts.ts";

/** Any number that no other program takes for its own lock. */
const ADVISORY_LOCK = 7_325_466_873;
const LOCK_POLL_MS = 250;

type Work<T> = (kysely: Kysely<unknown>) => Promise<T>;

/**
 * Runs `work` while no other process migrates. The migrations tables exist by then: MikroORM makes
 * them by looking and then creating, which two processes do not survive.
 */
export function withMigrationLock<T>(connections: OrmConnections, work: Work<T>): Promise<T> {
  switch (connections.type) {
    case "Sqlite":
      return lockedSqlite(connections.port, work);
    case "PostgreSQL":
      return lockedPostgres(connections.port, work);
    case "MySql":
      return lockedMysql(connections, work);
  }
}

/** In SQLite the migrating transaction itself is the lock: it begins as the only writer. */
function lockedSqlite<T>({ writer, inTurn }: SqliteConnections, work: Work<T>): Promise<T> {
  return inTurn(async () => {
    // No request is served yet, so SQLite may block for another migrating process.
    writer.pragma(`busy_timeout = ${LOCK_TIMEOUT_MS}`);
    for (const context of CONTEXTS) {
      writer.exec(
        `create table if not exists ${MIGRATIONS_TABLE[context]} (id integer not null primary key
         autoincrement, name text, executed_at datetime default (strftime('%s', 'now') * 1000))`,
      );
    }
    try {
      return await work(kyselyOverSqlite(writer));
    } finally {
      writer.pragma("busy_timeout = 0");
    }
  });
}

/** Holds a session lock. The migrations use the same connection, which has no timeouts. */
async function lockedPostgres<T>(port: PostgresConnections, work: Work<T>): Promise<T> {
  const client = await port.connect();
  try {
    const deadline = Date.now() + LOCK_WAIT_MAX_MS;
    const locked = "select pg_try_advisory_lock($1) as locked";
    while (!(await client.query<{ locked: boolean }>(locked, [ADVISORY_LOCK])).rows[0]?.locked) {
      if (Date.now() > deadline) throw lockedTooLong();
      await wait(LOCK_POLL_MS);
    }
    for (const context of CONTEXTS) {
      await client.query(
        `create table if not exists ${MIGRATIONS_TABLE[context]} (id serial primary key,
         name varchar(255), executed_at timestamptz(6) default current_timestamp(6))`,
      );
    }
    return await work(kyselyOverClient(client));
  } finally {
    // The lock goes with the connection.
    await client.end();
  }
}

/** A session lock, too. Its name counts for the whole server, so it names the database. */
async function lockedMysql<T>(
  { port, name }: { readonly port: MysqlConnections; readonly name: string },
  work: Work<T>,
): Promise<T> {
  const connection = await port.connect();
  try {
    const kysely = kyselyOverMysqlConnection(connection);
    const lock = `sealhouse-migrations-${hash("sha256", name).slice(0, 32)}`;
    const locking = CompiledQuery.raw("select get_lock(?, ?) as locked", [
      lock,
      LOCK_WAIT_MAX_MS / 1_000,
    ]);
    const { rows } = await kysely.executeQuery<{ locked: number | null }>(locking);
    if (rows[0]?.locked !== 1) throw lockedTooLong();
    for (const sql of MYSQL_TABLES) await kysely.executeQuery(CompiledQuery.raw(sql));
    return await work(kysely);
  } finally {
    // The lock goes with the connection.
    connection.destroy();
  }
}

const MYSQL_NAME = "varchar(255) character set utf8mb4 collate utf8mb4_bin";
const MYSQL_TABLES = [
  ...CONTEXTS.map(
    (context) => `create table if not exists ${MIGRATIONS_TABLE[context]}
      (id int unsigned not null auto_increment primary key, name ${MYSQL_NAME},
      executed_at datetime default current_timestamp) engine = InnoDB`,
  ),
  `create table if not exists ${MIGRATION_STEPS_TABLE} (context ${MYSQL_NAME},
    migration ${MYSQL_NAME}, done int not null, in_doubt int not null,
    primary key (context, migration)) engine = InnoDB`,
];
