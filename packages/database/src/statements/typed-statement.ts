// Types of statements. They are separate, because the exported declarations name them, and must not
// need those of the tables.
import type { DatabaseConfig } from "../connection-string.ts";
import type { ColumnTypes } from "./column-types.ts";
import type { Kind, Kinds, Values } from "./kinds.ts";

/** The databases that statements are compiled for. */
export type DialectName = DatabaseConfig["type"];

/** A query in the SQL of one database. */
export type CompiledStatement = {
  readonly sql: string;
  /** The sources of the placeholders, in order. */
  readonly places: readonly Placeholder[];
  /** The columns of its rows that hold times and truth values. */
  readonly columns: ColumnTypes;
};

/** A place of a statement's text: a parameter, or a constant that the query contains. */
export type Placeholder =
  | { readonly name: string; readonly kind: Kind }
  | { readonly constant: unknown };

/** Options of a statement. */
export type StatementOptions = {
  /** See `recall` of the raw `Statement`. */
  readonly recall?: "rows" | "absence";
};

/** A query that is built once and compiled once per database, when it is needed first. */
export type TypedStatement<P extends Kinds, Row> = StatementOptions & {
  /** Unique, at most 63 bytes: databases keep the prepared statement under it. Statements that are
   * composed for one execution have none. */
  readonly name?: string;
  compiled(dialect: DialectName): CompiledStatement;
  /** Carry types only; never set. */
  readonly "~values"?: (values: Values<P>) => void;
  readonly "~row"?: Row;
};

/** The type of the rows that a statement returns. */
export type RowOf<S> = S extends { readonly "~row"?: infer Row } ? NonNullable<Row> : never;

/** A statement of unknown parameters and rows. */
export type AnyStatement = Pick<TypedStatement<Kinds, unknown>, "name" | "compiled" | "recall">;

/** A statement without parameters that is composed for one execution. */
export type ComposedStatement<Row> = TypedStatement<Readonly<Record<string, never>>, Row>;
