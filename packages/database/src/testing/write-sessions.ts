import { setTimeout as wait } from "node:timers/promises";
import type { DatabaseConfig } from "../connection-string.ts";
import { connectMariadb, connectPostgres } from "./connect.ts";
import { within } from "./sql-server.ts";

/** InnoDB refreshes its list of transactions only after 100 ms without a query. */
const TRANSACTIONS_REMEMBERED_MS = 120;

/** Ends sessions of other clients of one database, as a failover or an administrator does. */
export interface WriteSessions extends AsyncDisposable {
  /** Ends sessions inside a writing transaction, at most `most`; resolves to their number. */
  end(most: number): Promise<number>;
  /** Ends all sessions, those of every client. */
  endAll(): Promise<void>;
}

export async function openWriteSessions(config: DatabaseConfig): Promise<WriteSessions> {
  switch (config.type) {
    case "PostgreSQL":
      return postgresSessions(config);
    case "MySql":
      return mariadbSessions(config);
    case "SqlServer":
      return sqlServerSessions(config);
    case "Sqlite":
      throw new Error("SQLite has no sessions that could be ended.");
  }
}

async function postgresSessions(
  config: Extract<DatabaseConfig, { readonly type: "PostgreSQL" }>,
): Promise<WriteSessions> {
  const { host, port, user, database } = config;
  const client = await connectPostgres({ host, port, user, database });
  const sql = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
    limit $1`;
  return {
    end: async (most) => (await client.query(sql, [most])).rowCount ?? 0,
    async endAll() {
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function mariadbSessions(
  config: Extract<DatabaseConfig, { readonly type: "MySql" }>,
): Promise<WriteSessions> {
  const { host, port, user, database } = config;
  const connection = await connectMariadb({ host, port, user, database });
  const sql = `select t.trx_mysql_thread_id as id from information_schema.innodb_trx t
    join information_schema.processlist p on p.id = t.trx_mysql_thread_id
    where t.trx_rows_modified > 0 and p.db = database() and p.id <> connection_id() limit ?`;
  const endFound = async (found: string, values: readonly number[] = []) => {
    const [rows] = await connection.query(found, [...values]);
    let ended = 0;
    for (const { id } of rows as { readonly id: number }[]) {
      // It may have ended by itself in between.
      const isEnded = await connection.query(`kill connection ${id}`).then(
        () => true,
        () => false,
      );
      if (isEnded) ended += 1;
    }
    return ended;
  };
  return {
    async end(most) {
      await wait(TRANSACTIONS_REMEMBERED_MS);
      return endFound(sql, [most]);
    },
    async endAll() {
      await endFound(`select id from information_schema.processlist
        where db = database() and id <> connection_id()`);
    },
    [Symbol.asyncDispose]: () => connection.end(),
  };
}

function sqlServerSessions(
  config: Extract<DatabaseConfig, { readonly type: "SqlServer" }>,
): WriteSessions {
  const sql = `select top(@1) session_id as id from sys.dm_exec_sessions
    where database_id = db_id() and open_transaction_count > 0 and session_id <> @@spid`;
  return {
    end: (most) =>
      within(config, async ({ batch, execute }) => {
        const { rows } = await execute(sql, [most]);
        for (const { id } of rows) await batch(`kill ${Number(id)}`);
        return rows.length;
      }),
    endAll: () =>
      within(config, async ({ batch, execute }) => {
        const { rows } = await execute(
          `select session_id as id from sys.dm_exec_sessions
            where database_id = db_id() and session_id <> @@spid`,
          [],
        );
        for (const { id } of rows) await batch(`kill ${Number(id)}`);
      }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
