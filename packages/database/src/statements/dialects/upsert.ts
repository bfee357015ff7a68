import { sql } from "#kysely";
import type { Compilable, Expression, Kysely } from "#kysely";
import type { Tables } from "../tables.ts";
import type { Upserts } from "./dialect.ts";
import { assignments, otherColumns } from "./dialect.ts";

type AnyTables = Record<string, Record<string, unknown>>;
type AnyRow = Readonly<Record<string, Expression<unknown>>>;

/** The rows of a query, with their columns in order. */
type Source = { readonly columns: readonly string[]; readonly rows: Expression<unknown> };

/** An insert into a table whose name is a text: `Dialect.upsert` has checked the columns. */
export function insertOf(db: Kysely<Tables>, table: string, row: AnyRow) {
  return (db as unknown as Kysely<AnyTables>).insertInto(table).values(row);
}

/** The same with the rows of a query. */
export function insertFrom(db: Kysely<Tables>, table: string, { columns, rows }: Source) {
  return (db as unknown as Kysely<AnyTables>)
    .insertInto(table)
    .columns([...columns])
    .expression(rows as Expression<never>);
}

/** The upserts of SQLite and PostgreSQL. */
export function onConflictUpserts(db: Kysely<Tables>): Upserts {
  return {
    upsert: (table, row, key) => updating(insertOf(db, table, row), Object.keys(row), key),
    upsertFrom: (table, source, key) =>
      updating(insertFrom(db, table, source), source.columns, key),
  };
}

function updating(
  insert: ReturnType<typeof insertOf>,
  columns: readonly string[],
  key: readonly string[],
): Compilable {
  return insert.onConflict((conflict) =>
    conflict
      .columns([...key])
      .doUpdateSet(
        assignments(otherColumns(columns, key), (column) => sql.ref(`excluded.${column}`)),
      ),
  );
}
