import { DummyDriver, Kysely, SqliteIntrospector } from "#kysely";
import type {
  Compilable,
  DialectAdapter,
  Expression,
  Insertable,
  OperationNodeSource,
  QueryCompiler,
  RawBuilder,
  SelectQueryBuilder,
  SqlBool,
} from "#kysely";
import type { Tables } from "../tables.ts";

/** A row to insert: an expression for each column. */
export type NewRow<T extends keyof Tables> = {
  readonly [C in keyof Insertable<Tables[T]>]: Expression<Insertable<Tables[T]>[C]>;
};

/** Columns of the rows in a `records` parameter. */
export type RecordColumns = Readonly<Record<string, "text" | "whole">>;

/** A row of `Dialect.records`; keys that a record lacks are null. */
export type RecordRow<C extends RecordColumns> = {
  [Name in keyof C]: (C[Name] extends "text" ? string : number) | null;
};

/** Parts of a result. */
export type Pages = {
  /** At most `count` rows. */
  limit<DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
    count: Expression<number>,
  ): SelectQueryBuilder<DB, TB, O>;
  /** At most `take` rows after the first `skip`; the query has an `order by`. */
  page<DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
    page: { readonly skip: Expression<number>; readonly take: Expression<number> },
  ): SelectQueryBuilder<DB, TB, O>;
  /** Whether the two columns sort after the two values, so that an index on them serves it. */
  isAfter(
    columns: readonly [Expression<number>, Expression<number>],
    values: readonly [Expression<number>, Expression<number>],
  ): RawBuilder<boolean>;
};

/** Locks of rows until the commit. */
export type Locks = {
  /** Locks the rows until the commit; others that lock them wait. Name the table that selects the
   * rows first: MySQL reads the tables in this order. */
  forUpdate<DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
  ): SelectQueryBuilder<DB, TB, O>;
  /** Locks the rows against changes until the commit. */
  forShare<DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
  ): SelectQueryBuilder<DB, TB, O>;
  /** An update or delete whose rows a list names, for databases that would otherwise read and lock
   * the whole table. */
  byList(query: Compilable & OperationNodeSource): Compilable;
};

/** Parameters with many values. */
export type Lists = {
  /** The items of a `texts` parameter, for `in`. */
  textsIn(list: Expression<unknown>): RawBuilder<string>;
  /** Whether a `texts` parameter has the text; serves an index where `textsIn` may not. */
  isIn(text: Expression<string>, list: Expression<unknown>): RawBuilder<SqlBool>;
  /** The items of a `wholes` parameter, for `in`. */
  wholesIn(list: Expression<unknown>): RawBuilder<number>;
  /** The rows of a `records` parameter, for `selectFrom`. */
  records<const C extends RecordColumns>(
    list: Expression<unknown>,
    columns: C,
  ): RawBuilder<RecordRow<C>>;
  /** Whether any pattern of two equal `texts` parameters matches, with regard to letter case. */
  matchesAny(
    text: Expression<string>,
    patterns: { readonly likes: Expression<unknown>; readonly globs: Expression<unknown> },
  ): RawBuilder<SqlBool>;
};

/** Sums and lengths. */
export type Measures = {
  /** The sum of the rows as a whole number; 0 without rows. */
  sum(of: Expression<number>): RawBuilder<number>;
  /** The number of bytes. */
  byteLength(of: Expression<unknown>): RawBuilder<number>;
  /** The length of text in UTF-8, in bytes. */
  textByteLength(of: Expression<unknown>): RawBuilder<number>;
};

/** Inserts that change the row of an existing key. */
export type Upserts = {
  /** Inserts the row or, where its key exists, sets the other columns. The number of changed rows
   * differs between databases. On MySQL any unique key of the table counts. */
  upsert<T extends keyof Tables>(
    table: T,
    row: NewRow<T>,
    key: readonly (keyof NewRow<T> & string)[],
  ): Compilable;
  /** The same with the rows of a query, which has a `where` and gives these columns in order. */
  upsertFrom<T extends keyof Tables>(
    table: T,
    source: {
      readonly columns: readonly (keyof NewRow<T> & string)[];
      readonly rows: Expression<unknown>;
    },
    key: readonly (keyof NewRow<T> & string)[],
  ): Compilable;
};

/** Constructs that the databases spell differently. One file per database implements them. */
export type Dialect = {
  /** Builds queries and compiles them; it executes nothing. */
  readonly db: Kysely<Tables>;
  /** Compared with a flag column. */
  readonly yes: RawBuilder<boolean>;
  readonly no: RawBuilder<boolean>;
} & Pages &
  Locks &
  Lists &
  Measures &
  Upserts;

/** A Kysely that only compiles. */
export function compilingKysely(adapter: DialectAdapter, compiler: QueryCompiler): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => compiler,
    },
  });
}

/** The columns that are not part of the key. */
export function otherColumns(
  columns: readonly string[],
  key: readonly string[],
): readonly string[] {
  return columns.filter((column) => !key.includes(column));
}

/** The assignments of an upsert: each column with the result of `valueOf`. */
export function assignments(
  columns: readonly string[],
  valueOf: (column: string) => RawBuilder<unknown>,
): Readonly<Record<string, RawBuilder<unknown>>> {
  return Object.fromEntries(columns.map((column) => [column, valueOf(column)]));
}
