/** What a statement takes. `undefined` becomes null. */
export type Parameter = string | number | boolean | Date | Uint8Array | undefined;

/**
 * SQL with `?` for each parameter. A name makes the database prepare it once per connection, so it
 * must be unique for its text; leave it out where the text is put together per call.
 */
export type Statement = {
  readonly name?: string;
  readonly sql: string;
  /** What may be answered from memory while nobody commits anything, where the database tells that
   * cheaply: the few, small rows, or only that there are none. Needs a name. */
  readonly recall?: "rows" | "absence";
};

/** A part of a statement, with the parameters for each `?` in it. */
export type Fragment = { readonly sql: string; readonly parameters: readonly Parameter[] };

export type Row = Readonly<Record<string, unknown>>;

/**
 * The small way to the database for hot look-ups and for single writes: prepared statements and
 * plain rows, nothing else. It knows neither entities nor MikroORM.
 */
export interface QueryPort {
  all(statement: Statement, parameters: readonly Parameter[]): Promise<readonly Row[]>;
  one(statement: Statement, parameters: readonly Parameter[]): Promise<Row | undefined>;
  /** One insert, update or delete in a transaction of its own; gives the number of rows changed.
   * @throws UniqueKeyError when a row with the same key exists already */
  run(statement: Statement, parameters: readonly Parameter[]): Promise<number>;
  /** A number that has changed whenever anybody committed since it was asked for, where the
   * database can tell that for less than a look-up costs. */
  readonly changeMark?: () => number;
  /** A text that has changed whenever anybody wrote anything since it was asked for, where the
   * database can tell that for about a look-up. */
  readonly writtenState?: () => Promise<string>;
}

export class UniqueKeyError extends Error {
  override readonly name = "UniqueKeyError";
}
