import type { Parameter, Row, Statement } from "../raw/query-port.ts";
import type { ColumnType, ColumnTypes } from "./column-types.ts";
import type { Kind, Kinds, Values } from "./kinds.ts";
import type { AnyStatement, DialectName, Placeholder, TypedStatement } from "./typed-statement.ts";

/** Executes statements on one database, outside or inside a transaction. */
export interface Queries {
  all<P extends Kinds, R>(
    statement: TypedStatement<P, R>,
    values: Values<P>,
  ): Promise<readonly R[]>;
  /** The first row; undefined when no row matches. */
  one<P extends Kinds, R>(
    statement: TypedStatement<P, R>,
    values: Values<P>,
  ): Promise<R | undefined>;
  /** Executes an insert, update or delete; resolves to the number of changed rows. */
  run<P extends Kinds>(statement: TypedStatement<P, unknown>, values: Values<P>): Promise<number>;
}

/** Inserts one row into a table with generated ids; resolves to its id. */
export type Inserts = <P extends Kinds>(
  statement: TypedStatement<P, unknown>,
  values: Values<P>,
) => Promise<number>;

/** Executes SQL in the words of one database, and decodes the rows. */
export type RawQueries = {
  all(statement: Statement, parameters: readonly Parameter[]): Promise<readonly Row[]>;
  one(statement: Statement, parameters: readonly Parameter[]): Promise<Row | undefined>;
  run(statement: Statement, parameters: readonly Parameter[]): Promise<number>;
};

/** Executes typed statements by `raw`. */
export function queriesOver(type: DialectName, raw: RawQueries): Queries {
  return {
    all(statement, values) {
      const { text, parametersOf } = executableOf(type, statement);
      return raw.all(text, parametersOf(values)) as Promise<never>;
    },
    one(statement, values) {
      const { text, parametersOf } = executableOf(type, statement);
      return raw.one(text, parametersOf(values)) as Promise<never>;
    },
    run(statement, values) {
      const { text, parametersOf } = executableOf(type, statement);
      return raw.run(text, parametersOf(values));
    },
  };
}

/** Executes typed inserts of one row each by `insert`, and resolves to the generated id. */
export function insertsOver(
  type: DialectName,
  insert: (statement: Statement, parameters: readonly Parameter[]) => Promise<number>,
): Inserts {
  return (statement, values) => {
    const { text, parametersOf } = executableOf(type, statement);
    return insert(text, parametersOf(values));
  };
}

type ParameterValues = Readonly<Record<string, unknown>>;

type Executable = {
  readonly text: Statement;
  readonly parametersOf: (values: ParameterValues) => Parameter[];
};

const executables: Readonly<Record<DialectName, Map<string, Executable>>> = {
  Sqlite: new Map(),
  PostgreSQL: new Map(),
  MySql: new Map(),
  SqlServer: new Map(),
};

function executableOf(type: DialectName, statement: AnyStatement): Executable {
  const { name } = statement;
  if (name === undefined) return executableFrom(type, statement);
  const knownExecutable = executables[type].get(name);
  if (knownExecutable) return knownExecutable;
  const made = executableFrom(type, statement);
  executables[type].set(name, made);
  return made;
}

function executableFrom(type: DialectName, statement: AnyStatement): Executable {
  const { name, recall } = statement;
  const { sql, places, columns } = statement.compiled(type);
  const decode = decoderOf(columns);
  const encoders = places.map((place) => encoderOf(type, place));
  const types = places.map((place) => ("kind" in place ? place.kind.sqlServer : undefined));
  return {
    text: {
      ...(name !== undefined && { name }),
      sql,
      ...(recall && { recall }),
      ...(decode && { decode }),
      ...(type === "SqlServer" && { types }),
    },
    parametersOf: (values: ParameterValues) => encoders.map((encode) => encode(values)),
  };
}

/** Gives the parameter for one place of the text. */
function encoderOf(type: DialectName, place: Placeholder): (values: ParameterValues) => Parameter {
  if ("constant" in place) return () => place.constant as Parameter;
  const { name, kind } = place;
  const isRecords = kind.name === "records";
  if (!isRecords && !isList(kind)) return (values) => checked(values[name] ?? undefined, place);
  if (!isRecords && type === "PostgreSQL") {
    return (values) => postgresList(values[name]) as Parameter;
  }
  return (values) => JSON.stringify(values[name], storableJson);
}

/**
 * Refuses a value that a cast has hidden from the compiler. Drivers would spread a list into
 * parameters, or write an object as text.
 */
function checked(
  value: unknown,
  { name, kind }: Extract<Placeholder, { readonly name: string }>,
): Parameter {
  const isRight =
    value === undefined ||
    (kind.name === "text"
      ? typeof value === "string"
      : typeof value !== "object" || value instanceof Date || value instanceof Uint8Array);
  if (!isRight) throw new TypeError(`The parameter ${name} of a statement is not a ${kind.name}.`);
  return value as Parameter;
}

function isList({ name }: Kind): boolean {
  return name === "texts" || name === "wholes";
}

/** Replaces what a JSON text cannot hold on every database. */
function storableJson(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "\u{fffd}").toWellFormed() : value;
}

/** PostgreSQL has no NUL in text; nothing that it holds can be equal to text that has one. */
function postgresList(list: unknown): unknown {
  const items = list as readonly unknown[];
  return items.map((item) => (typeof item === "string" ? item.replaceAll("\0", "\u{fffd}") : item));
}

/**
 * Converts the truth values and times of a row in place: SQLite and MySQL return truth values as
 * numbers, SQLite times as milliseconds. Undefined when the rows have neither.
 */
function decoderOf(columns: ColumnTypes): ((row: Row) => void) | undefined {
  const entries = Object.entries(columns);
  if (entries.length === 0) return undefined;
  return (row) => {
    const cells = row as Record<string, unknown>;
    for (const [column, type] of entries) cells[column] = decodedCell(type, cells[column]);
  };
}

function decodedCell(type: ColumnType, value: unknown): unknown {
  if (type === "flag") return typeof value === "number" ? value === 1 : value;
  // PostgreSQL writes times as text within a transaction of MikroORM.
  return typeof value === "number" || typeof value === "string" ? new Date(value) : value;
}
