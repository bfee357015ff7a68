import type { Compilable, InferResult } from "#kysely";
import { mysqlDialect } from "./dialects/mysql.ts";
import { postgresqlDialect } from "./dialects/postgresql.ts";
import { sqliteDialect } from "./dialects/sqlite.ts";
import { sqlserverDialect } from "./dialects/sqlserver.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { Kinds } from "./kinds.ts";
import { Parameter, parametersOf } from "./parameter.ts";
import type { Parameters } from "./parameter.ts";
import { selectedColumns } from "./selected-columns.ts";
import type {
  AnyStatement,
  CompiledStatement,
  ComposedStatement,
  DialectName,
  Placeholder,
  StatementOptions,
  TypedStatement,
} from "./typed-statement.ts";

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

/**
 * Composes a statement whose text depends on a search. It contains its values, is executed once,
 * and is not prepared: each search has another text, and databases keep prepared ones.
 */
export function composeStatement<Q extends Compilable>(
  build: (db: Dialect["db"], own: Dialect) => Q,
): ComposedStatement<InferResult<Q>[number]> {
  return composeStatementWith({}, (db, _parameters, own) => build(db, own));
}

/** The same with parameters, for values that databases take in different forms, such as lists. */
export function composeStatementWith<const P extends Kinds, Q extends Compilable>(
  kinds: P,
  build: (db: Dialect["db"], parameters: Parameters<P>, own: Dialect) => Q,
): TypedStatement<P, InferResult<Q>[number]> {
  const cache = new Map<DialectName, CompiledStatement>();
  return {
    compiled(type) {
      const own = dialectOf(type);
      const compiled = cache.get(type) ?? compiledFrom(build(own.db, parametersOf(kinds), own));
      cache.set(type, compiled);
      return compiled;
    },
  };
}

function compiledFrom(query: Compilable): CompiledStatement {
  const { sql, parameters, query: node } = query.compile();
  return { sql, places: parameters.map(placeOf), columns: selectedColumns(node) };
}

function dialectOf(type: DialectName): Dialect {
  const dialect = dialects.get(type) ?? DIALECTS[type]();
  dialects.set(type, dialect);
  return dialect;
}

function placeOf(value: unknown): Placeholder {
  return value instanceof Parameter ? { name: value.name, kind: value.kind } : { constant: value };
}
