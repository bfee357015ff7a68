import Database from "better-sqlite3";

/** Rows of a SQLite file that a host uses. Disposal closes it. */
export type OpenSqliteFile = Disposable & {
  prepare(sql: string): SqliteStatement;
  /** Runs statements without results. */
  exec(sql: string): void;
  close(): void;
};

/** A statement of a test, with its values by position. */
export type SqliteStatement = {
  all(...values: readonly unknown[]): unknown[];
  /** The first row; undefined without a row. */
  get(...values: readonly unknown[]): unknown;
  run(...values: readonly unknown[]): { readonly changes: number };
};

/** Milliseconds that a statement waits for the host. */
const LOCK_TIMEOUT_MS = 10_000;

/**
 * Opens the SQLite file of a host in the same process, with the library of the host. When another
 * library closes a file, the process loses the locks that the first one holds.
 */
export function openSqliteFile(
  path: string,
  options: { readonly readOnly?: boolean } = {},
): OpenSqliteFile {
  const rows = new Database(path, {
    readonly: options.readOnly ?? false,
    timeout: LOCK_TIMEOUT_MS,
  });
  return {
    prepare: (sql) => rows.prepare(sql),
    exec: (sql) => void rows.exec(sql),
    close: () => void rows.close(),
    [Symbol.dispose]: () => void rows.close(),
  };
}
