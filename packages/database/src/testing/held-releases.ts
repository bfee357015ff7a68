import { setTimeout as wait } from "node:timers/promises";
import type { DatabaseConfig } from "../connection-string.ts";
import { connectMariadb, connectPostgres } from "./connect.ts";

const LOOK_EVERY_MS = 5;

/** Holds changes of releases inside their transactions, for tests that kill a process there. */
export interface HeldReleases extends AsyncDisposable {
  /** From now on, the change of a group's release to this state waits before it is committed. */
  hold(group: string, state: string): Promise<void>;
  /** Resolves when a change waits. */
  waiting(): Promise<void>;
  /** Ends the sessions whose changes wait, as a server does when it misses their client. From then
   * on, no change waits. */
  end(): Promise<void>;
  /** Ends all leases, as the time of killed processes does. */
  endLeases(): Promise<void>;
  /** The state of the newest release of a group; undefined: the group has no release. */
  stateOf(group: string): Promise<string | undefined>;
}

/** The text of one database: `?` are its parameters. */
type Sql = {
  readonly setUp: readonly string[];
  readonly sleeping: string;
  readonly end: (id: number) => string;
};

const SECONDS = 60;
const IS_HELD = `exists (select 1 from held_changes h
  where h.group_key = new.group_key and h.state = new.state)`;

const POSTGRES: Sql = {
  setUp: [
    "create table held_changes (group_key varchar(64), state varchar(16))",
    `create function hold_change() returns trigger language plpgsql as $$ begin
      if ${IS_HELD} then perform pg_sleep(${SECONDS}); end if;
      return new;
    end $$`,
    `create trigger hold_change before update on releases for each row
      when (old.state is distinct from new.state) execute function hold_change()`,
  ],
  sleeping: `select pid as id from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'`,
  end: (id) => `select pg_terminate_backend(${id})`,
};

const MARIADB: Sql = {
  setUp: [
    `create table held_changes (group_key varchar(64), state varchar(16))
      character set utf8mb4 collate utf8mb4_bin`,
    `create trigger hold_change before update on releases for each row begin
      if old.state <> new.state and ${IS_HELD} then do sleep(${SECONDS}); end if;
    end`,
  ],
  sleeping: `select id from information_schema.processlist
    where db = database() and state = 'User sleep'`,
  end: (id) => `kill connection ${id}`,
};

type Query = (sql: string, values?: readonly string[]) => Promise<readonly object[]>;

/** On PostgreSQL and MariaDB, after their migration. Changes the database, so it needs its own. */
export async function openHeldReleases(config: DatabaseConfig): Promise<HeldReleases> {
  switch (config.type) {
    case "PostgreSQL": {
      const { host, port, user, database } = config;
      const client = await connectPostgres({ host, port, user, database });
      const query: Query = async (sql, values = []) => {
        let at = 0;
        const numbered = sql.replaceAll("?", () => `$${++at}`);
        return (await client.query<object>(numbered, [...values])).rows;
      };
      return heldReleases(query, POSTGRES, () => client.end());
    }
    case "MySql": {
      const { host, port, user, database } = config;
      const connection = await connectMariadb({ host, port, user, database });
      const query: Query = async (sql, values = []) => {
        const [rows] = await connection.query(sql, [...values]);
        return Array.isArray(rows) ? rows : [];
      };
      return heldReleases(query, MARIADB, () => connection.end());
    }
    default:
      throw new Error(`Nothing holds releases in ${config.type}.`);
  }
}

async function heldReleases(
  query: Query,
  sql: Sql,
  close: () => Promise<void>,
): Promise<HeldReleases> {
  for (const text of sql.setUp) await query(text);
  const sleeping = async () => (await query(sql.sleeping)) as readonly { readonly id: number }[];
  return {
    async hold(group, state) {
      await query("insert into held_changes values (?, ?)", [group, state]);
    },
    async waiting() {
      while ((await sleeping()).length === 0) await wait(LOOK_EVERY_MS);
    },
    async end() {
      await query("delete from held_changes");
      for (const { id } of await sleeping()) await query(sql.end(id));
      while ((await sleeping()).length > 0) await wait(LOOK_EVERY_MS);
    },
    async endLeases() {
      await query("update leases set held_until = '2000-01-01 00:00:00'");
    },
    async stateOf(group) {
      const newest = "select state from releases where group_key = ? order by number desc";
      const [row] = (await query(newest, [group])) as readonly { readonly state: string }[];
      return row?.state;
    },
    [Symbol.asyncDispose]: close,
  };
}
