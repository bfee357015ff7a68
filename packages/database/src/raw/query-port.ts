import type { DatabaseVersions } from "./version.ts";

/** A parameter of a statement; `undefined` becomes null. */
export type Parameter = string | number | boolean | Date | Uint8Array | undefined;

/**
 * SQL with `?` for each parameter. With a name, the database prepares it once per connection, so
 * the name must be unique for the text. Omit it for generated text.
 */
export type Statement = {
  readonly name?: string;
  readonly sql: string;
  /**
   * Allows caching of small results until the next commit, where the database reports commits
   * cheaply: rows, or only their absence. Requires a name.
   */
  readonly recall?: "rows" | "absence";
  /** Converts the columns of a row in place. Every port calls it for each row that it reads. */
  readonly decode?: (row: Row) => void;
  /** SQL Server's types of the parameters; undefined where the value decides. */
  readonly types?: readonly (string | undefined)[];
};

export type Row = Readonly<Record<string, unknown>>;

/** Converts rows that a database has returned, as their statement wants. */
export function decodedRows(statement: Statement, rows: readonly Row[]): readonly Row[] {
  if (statement.decode) for (const row of rows) statement.decode(row);
  return rows;
}

/**
 * Fast access for lookups and single writes, with prepared statements and plain rows. Independent
 * of entities and MikroORM.
 */
export interface QueryPort {
  all(statement: Statement, parameters: readonly Parameter[]): Promise<readonly Row[]>;
  one(statement: Statement, parameters: readonly Parameter[]): Promise<Row | undefined>;
  /**
   * Executes an insert, update or delete in its own transaction. Returns the number of changed
   * rows.
   *
   * @throws UniqueKeyError when a row with the same key exists
   */
  run(statement: Statement, parameters: readonly Parameter[]): Promise<number>;
  /** Reports commits; only where this costs less than the lookups that it saves. */
  readonly versions?: DatabaseVersions;
}

export class UniqueKeyError extends Error {
  override readonly name = "UniqueKeyError";
  readonly code = "unique-key";

  constructor(cause: unknown) {
    super("A row with this key exists already.", { cause });
  }
}
