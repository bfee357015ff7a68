import type Database from "better-sqlite3";
import type { Statement } from "./query-port.ts";

/** Lookups that one look at SQLite's commit counter serves at most. */
const LOOKUPS_MAX = 64;
const WRITTEN = /^\s*(insert into|update|delete from)\s+"(\w+)"/i;
const READ = /\b(?:from|join)\s+"(\w+)"/g;
/** All tables. */
const ALL = "*";

/**
 * Versions of a SQLite database, which change with each commit, and those of what a statement
 * reads. A commit of this process changes only the versions of statements that read its tables; one
 * of another process changes all.
 */
export type SqliteVersions = {
  readonly now: () => number;
  /** Returns the version of the tables that a statement reads. */
  readonly of: (statement: Statement) => number;
  /** Notes a statement of the open transaction that changes something. */
  readonly writes: (statement: Statement) => void;
  /** The open transaction was committed. `isKnown`: it had no changes but those of `writes`. */
  readonly committed: (options: { readonly isKnown: boolean }) => void;
};

/**
 * Queries SQLite's counter of commits by others once per turn of the event loop. A commit by others
 * within that turn is unknown to all clients. The counter is that of the writing connection, which
 * does not count its own commits.
 */
export function createSqliteVersions(writer: Database.Database): SqliteVersions {
  const counter = writer.prepare("pragma data_version").pluck();
  const schema = writer.prepare("pragma schema_version").pluck();
  const tablesOf = createTables(writer);
  /** The version of each table that a commit of this process has changed. */
  const changed = new Map<string, number>();
  const writing = new Set<string>();
  let latest = 0;
  let count: unknown;
  let lookups = LOOKUPS_MAX;
  const forget = () => {
    lookups = LOOKUPS_MAX;
  };
  const change = (table: string) => {
    latest += 1;
    changed.set(table, latest);
  };
  const look = () => {
    if (lookups < LOOKUPS_MAX) {
      lookups += 1;
      return;
    }
    setImmediate(forget);
    const found = counter.get();
    if (found !== count) {
      change(ALL);
      // Another process may have added a trigger.
      tablesOf.useSchema(schema.get());
    }
    count = found;
    lookups = 1;
  };
  const versionOf = (table: string) => changed.get(table) ?? 0;
  return {
    now() {
      look();
      return latest;
    },
    of(statement) {
      look();
      const tables = tablesOf.read(statement);
      if (tables.length === 0) return latest;
      return tables.reduce((most, table) => Math.max(most, versionOf(table)), versionOf(ALL));
    },
    writes: (statement) => void writing.add(tablesOf.written(statement)),
    committed({ isKnown }) {
      for (const table of isKnown ? writing : [ALL]) change(table);
      writing.clear();
      // The transaction may have waited for a commit of others.
      forget();
    },
  };
}

/** Reads the tables of statements from their text. */
function createTables(database: Database.Database) {
  const read = new Map<string, readonly string[]>();
  const written = new Map<string, string>();
  let schema: unknown;
  return {
    /** Forgets what was true of another version of the schema. */
    useSchema(version: unknown) {
      if (version !== schema) written.clear();
      schema = version;
    },
    /** Empty: unknown. */
    read: ({ sql }: Statement) => remembered(read, sql, () => tablesRead(sql)),
    written: ({ sql }: Statement) =>
      remembered(written, sql, () => {
        const [, verb = "", table] = WRITTEN.exec(sql) ?? [];
        return table === undefined || changesMore(database, table, verb) ? ALL : table;
      }),
  };
}

/** Returns the tables that a statement reads: those after `from` and `join`. */
export function tablesRead(sql: string): readonly string[] {
  return [...sql.matchAll(READ)].map(([, table = ALL]) => table);
}

/** Statements are few: those that are composed for one execution have the same texts again. */
const TEXTS_MAX = 1_000;

function remembered<T>(known: Map<string, T>, sql: string, find: () => T): T {
  const value = known.get(sql);
  if (value !== undefined) return value;
  if (known.size === TEXTS_MAX) known.clear();
  const found = find();
  known.set(sql, found);
  return found;
}

/** Whether a trigger, or a row that is deleted with one of this table, changes other tables. */
function changesMore(database: Database.Database, table: string, verb: string): boolean {
  const triggers = "select 1 from sqlite_master where type = 'trigger' and tbl_name = ?";
  if (database.prepare(triggers).get(table)) return true;
  if (/^insert/i.test(verb)) return false;
  const action = /^delete/i.test(verb) ? "on_delete" : "on_update";
  const follows = `select 1 from sqlite_master as m join pragma_foreign_key_list(m.name) as f
    where m.type = 'table' and f."table" = ? and f.${action} not in ('NO ACTION', 'RESTRICT')`;
  return database.prepare(follows).get(table) !== undefined;
}
