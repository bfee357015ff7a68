import { setTimeout as wait } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Connections } from "../orm/connections.ts";
import { kyselyOverClient, kyselyOverSqlite } from "../orm/kysely.ts";
import type { PostgresConnections } from "../raw/postgres.ts";
import type { SqliteConnections } from "../raw/sqlite.ts";
import { DatabaseUnavailableError } from "../errors.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";

/** Any number that no other program takes for its own lock. */
const ADVISORY_LOCK = 7_325_466_873;
const LOCK_WAIT_MAX_MS = 10 * 60_000;
const LOCK_POLL_MS = 250;

type Work<T> = (kysely: Kysely<unknown>) => Promise<T>;

/**
 * Runs `work` while no other process migrates. The migrations tables exist by then: MikroORM makes
 * them by looking and then creating, which two processes do not survive.
 */
export function withMigrationLock<T>(connections: Connections, work: Work<T>): Promise<T> {
  return connections.type === "Sqlite"
    ? lockedSqlite(connections.port, work)
    : lockedPostgres(connections.port, work);
}

/** In SQLite the migrating transaction itself is the lock: it begins as the only writer. */
function lockedSqlite<T>({ writer, inTurn }: SqliteConnections, work: Work<T>): Promise<T> {
  return inTurn(() => {
    for (const context of CONTEXTS) {
      writer.exec(
        `create table if not exists ${MIGRATIONS_TABLE[context]} (id integer not null primary key
         autoincrement, name text, executed_at datetime default (strftime('%s', 'now') * 1000))`,
      );
    }
    return work(kyselyOverSqlite(writer));
  });
}

/** A session lock. The migrations run on the same connection, because it has no time-outs. */
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

function lockedTooLong(): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `Another process has been migrating this database for ${LOCK_WAIT_MAX_MS / 60_000} minutes. ` +
      `Wait for it, or end its database session, and start again.`,
  );
}
