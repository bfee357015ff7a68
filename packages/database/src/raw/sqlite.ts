import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { SqliteConfig } from "../connection-string.ts";
import { DatabaseUnavailableError } from "../errors.ts";
import { placeOf } from "../place.ts";
import { createLogSync } from "./log-sync.ts";
import { createSerialQueue } from "./serial-queue.ts";
import type { SerialQueue } from "./serial-queue.ts";
import { LOCK_TIMEOUT_MS, createLockWait } from "./sqlite-lock.ts";
import type { WhenUnlocked } from "./sqlite-lock.ts";
import { databaseErrorOf, unavailabilityOf, withDatabaseErrors } from "./unavailable.ts";
import { UniqueKeyError, decodedRows } from "./query-port.ts";
import type { Parameter, QueryPort, Row, Statement } from "./query-port.ts";
import { createRowCache } from "./row-cache.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { GroupCommit } from "./group-commit.ts";
import { createSqliteVersions } from "./sqlite-versions.ts";

const CACHE_KIB = 8_192;

/** One file: one connection that writes, in turn, and one that only reads, at any time. */
export type SqliteConnections = QueryPort & {
  readonly writer: Database.Database;
  /** Names the database, for its operator. */
  readonly place: string;
  /** Queue for all uses of `writer`. */
  readonly inTurn: SerialQueue;
  /** Runs work in a transaction of `writer`, within `inTurn`. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** A transaction of `readInTurn` and `runInTurn` alone. It may share its commit with others. */
  readonly together: GroupCommit["transaction"];
  /** On the writing connection, hence within its open transaction. */
  readInTurn(statement: Statement, parameters: readonly Parameter[]): readonly Row[];
  /** The first of these rows. */
  readOneInTurn(statement: Statement, parameters: readonly Parameter[]): Row | undefined;
  runInTurn(statement: Statement, parameters: readonly Parameter[]): number;
  /** Inserts one row; returns its id. */
  insertInTurn(statement: Statement, parameters: readonly Parameter[]): number;
  /** @throws DatabaseUnavailableError after a failed sync of the log */
  assertSound(): void;
  /** Closes after running writes, even when a sync of the log failed. */
  close(): Promise<void>;
};

/** @throws DatabaseUnavailableError when the file is not readable or not a database */
export function openSqlite(config: SqliteConfig): SqliteConnections {
  const writer = opened(config, false);
  const reader = opened(config, true);
  const versions = createSqliteVersions(writer);
  const place = placeOf(config);
  const whenUnlocked = createLockWait();
  const queue = createSerialQueue();
  const log = createLogSync(config.path);
  const committed = (isKnown: boolean) => {
    versions.committed({ isKnown });
    return log.sync();
  };
  const inTurn: SerialQueue = (task) =>
    queue(async () => {
      log.assertSound();
      try {
        return await task();
      } finally {
        await committed(false);
      }
    });
  const readingWith = statementsOf(reader);
  const writingWith = statementsOf(writer);
  const read = createRowCache(versions.of, (statement, parameters) =>
    decodedRows(statement, readingWith(statement).all(...bound(parameters))),
  );
  const change = (statement: Statement, parameters: readonly Parameter[]) => {
    versions.writes(statement);
    return uniquely(() => writingWith(statement).run(...bound(parameters)));
  };
  const runInTurn: SqliteConnections["runInTurn"] = (...query) => change(...query).changes;
  const begins = (begin: () => void) => {
    log.assertSound();
    return whenUnlocked(begin);
  };
  const commits = createGroupCommit(writer, queue, { begins, committed: () => committed(true) });
  const reading = readingOf(place, createLockWait());
  return {
    writer,
    place,
    inTurn,
    assertSound: log.assertSound,
    transaction: (work) => inWriteTransaction(writer, whenUnlocked, work),
    together: commits.transaction,
    all: (statement, parameters) => reading(() => read(statement, parameters)),
    versions: { current: versions.now, earlier: versions.now },
    one: (statement, parameters) =>
      reading(() =>
        statement.recall
          ? read(statement, parameters)[0]
          : decodedRow(statement, readingWith(statement).get(...bound(parameters))),
      ),
    run: (statement, parameters) =>
      withDatabaseErrors(place, () => commits.statement(() => runInTurn(statement, parameters))),
    runInTurn,
    insertInTurn: (...query) => Number(change(...query).lastInsertRowid),
    readInTurn: (statement, parameters) =>
      decodedRows(statement, writingWith(statement).all(...bound(parameters))),
    readOneInTurn: (statement, parameters) =>
      decodedRow(statement, writingWith(statement).get(...bound(parameters))),
    close: () =>
      queue(() => {
        reader.close();
        writer.close();
        log.close();
      }),
  };
}

/** Runs reads at once, and again while another process locks the file. */
function readingOf(place: string, whenUnlocked: WhenUnlocked) {
  return async <T>(look: () => T): Promise<T> => {
    try {
      return look();
    } catch (error) {
      if (unavailabilityOf(error) !== "database-busy") throw databaseErrorOf(error, place);
    }
    return withDatabaseErrors(place, () => whenUnlocked(look));
  };
}

function decodedRow(statement: Statement, row: Row | undefined): Row | undefined {
  if (row) statement.decode?.(row);
  return row;
}

function opened({ path, setting }: SqliteConfig, readonly: boolean): Database.Database {
  try {
    if (!readonly) createFolder(dirname(path));
    const database = new Database(path, { readonly, timeout: LOCK_TIMEOUT_MS });
    if (!readonly) database.pragma("journal_mode = wal");
    // Otherwise SQLite writes undo data of each change in a shared commit to a file, twice as much
    // as to the log.
    if (!readonly) database.pragma("temp_store = memory");
    // A commit only writes the log; `createLogSync` syncs it.
    database.pragma("synchronous = normal");
    database.pragma("foreign_keys = on");
    database.pragma(`cache_size = -${CACHE_KIB}`);
    // From here on, waiting is ours (`createLockWait`).
    database.pragma("busy_timeout = 0");
    return database;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const advice = setting === undefined ? "" : ` Correct ${setting}, or its folder.`;
    throw new DatabaseUnavailableError(`Cannot open the SQLite file "${path}": ${why}.${advice}`, {
      code: unavailabilityOf(error) ?? "database-refused",
      cause: error,
    });
  }
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    const error = new Error(`the folder ${folder} cannot be created (${why})`, { cause });
    throw Object.assign(error, { code: why });
  }
}

/** Some errors (a full disk) end the transaction by themselves; `rollback` would fail then. */
async function inWriteTransaction<T>(
  writer: Database.Database,
  whenUnlocked: WhenUnlocked,
  work: () => Promise<T>,
): Promise<T> {
  await whenUnlocked(() => writer.exec("begin immediate"));
  try {
    const result = await work();
    writer.exec("commit");
    return result;
  } finally {
    if (writer.inTransaction) writer.exec("rollback");
  }
}

/** Prepares named statements once. */
function statementsOf(database: Database.Database) {
  const prepared = new Map<string, Database.Statement<unknown[], Row>>();
  return ({ name, sql }: Statement): Database.Statement<unknown[], Row> => {
    const knownStatement = name === undefined ? undefined : prepared.get(name);
    if (knownStatement) return knownStatement;
    const statement = database.prepare<unknown[], Row>(sql);
    if (name !== undefined) prepared.set(name, statement);
    return statement;
  };
}

function uniquely<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new UniqueKeyError(error);
  }
}

function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false;
  return error.code === "SQLITE_CONSTRAINT_UNIQUE" || error.code === "SQLITE_CONSTRAINT_PRIMARYKEY";
}

function bound(parameters: readonly Parameter[]): unknown[] {
  return parameters.map((value) => {
    if (value === undefined) return null;
    if (typeof value === "boolean") return Number(value);
    return value instanceof Date ? value.getTime() : value;
  });
}
