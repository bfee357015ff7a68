import Database from "better-sqlite3";

/** Rows of a SQLite file that a host uses. Disposal closes it. */
export type OpenSqliteFile = Database.Database & Disposable;

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
  return Object.assign(rows, { [Symbol.dispose]: () => void rows.close() });
}
