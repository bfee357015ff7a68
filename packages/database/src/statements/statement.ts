import type { Compilable, InferResult } from "#kysely";
import type { DatabaseConfig } from "../connection-string.ts";
import { mysqlDialect } from "./dialects/mysql.ts";
import { postgresqlDialect } from "./dialects/postgresql.ts";
import { sqliteDialect } from "./dialects/sqlite.ts";
import { sqlserverDialect } from "./dialects/sqlserver.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { Kind, Kinds, Values } from "./kinds.ts";
import { Parameter, parametersOf } from "./parameter.ts";
import type { Parameters } from "./parameter.ts";

/** The databases that statements are compiled for. */
export type DialectName = DatabaseConfig["type"];

/** A query in the SQL of one database. */
export type CompiledStatement = {
  readonly sql: string;
  /** The sources of the placeholders, in order. */
  readonly places: readonly Placeholder[];
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

const DIALECTS: Readonly<Record<DialectName, () => Dialect>> = {
  Sqlite: sqliteDialect,
  PostgreSQL: postgresqlDialect,
  MySql: mysqlDialect,
  SqlServer: sqlserverDialect,
};
const dialects = new Map<DialectName, Dialect>();
const statements = new Map<string, AnyStatement>();

/** All statements of the loaded modules by name. */
export function allStatements(): ReadonlyMap<string, AnyStatement> {
  return statements;
}

/**
 * Declares a statement. `build` gets the query builder, a parameter for each kind, and the
 * constructs that databases spell differently.
 *
 * @throws Error when another statement has the name
 */
export function defineStatement<const P extends Kinds, Q extends Compilable>(
  name: string,
  kinds: P,
  build: (db: Dialect["db"], parameters: Parameters<P>, own: Dialect) => Q,
  options: StatementOptions = {},
): TypedStatement<P, InferResult<Q>[number]> {
  if (statements.has(name)) throw new Error(`There are two statements with the name ${name}.`);
  const cache = new Map<DialectName, CompiledStatement>();
  const made = {
    ...options,
    name,
    compiled(type: DialectName): CompiledStatement {
      const before = cache.get(type);
      if (before) return before;
      const own = dialectOf(type);
      const compiled = compiledFrom(build(own.db, parametersOf(kinds), own));
      cache.set(type, compiled);
      return compiled;
    },
  };
  statements.set(name, made);
  return made;
}

/** A statement without parameters that is composed for one execution. */
export type ComposedStatement<Row> = TypedStatement<Readonly<Record<string, never>>, Row>;

/**
 * Composes a statement whose text depends on a search. It contains its values, is executed once,
 * and is not prepared: each search has another text, and databases keep prepared ones.
 */
export function composeStatement<Q extends Compilable>(
  build: (db: Dialect["db"], own: Dialect) => Q,
): ComposedStatement<InferResult<Q>[number]> {
  const cache = new Map<DialectName, CompiledStatement>();
  return {
    compiled(type) {
      const own = dialectOf(type);
      const compiled = cache.get(type) ?? compiledFrom(build(own.db, own));
      cache.set(type, compiled);
      return compiled;
    },
  };
}

function compiledFrom(query: Compilable): CompiledStatement {
  const { sql, parameters } = query.compile();
  return { sql, places: parameters.map(placeOf) };
}

function dialectOf(type: DialectName): Dialect {
  const dialect = dialects.get(type) ?? DIALECTS[type]();
  dialects.set(type, dialect);
  return dialect;
}

function placeOf(value: unknown): Placeholder {
  return value instanceof Parameter ? { name: value.name, kind: value.kind } : { constant: value };
}
