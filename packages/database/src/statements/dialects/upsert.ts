import { sql } from "#kysely";
import type { Compilable, Expression, Kysely } from "#kysely";
import type { Tables } from "../tables.ts";
import type { Dialect } from "./dialect.ts";
import { assignments, otherColumns } from "./dialect.ts";

type AnyTables = Record<string, Record<string, unknown>>;
type AnyRow = Readonly<Record<string, Expression<unknown>>>;

/** An insert into a table whose name is a text: `Dialect.upsert` has checked the columns. */
export function insertOf(db: Kysely<Tables>, table: string, row: AnyRow) {
  return (db as unknown as Kysely<AnyTables>).insertInto(table).values(row);
}

/** The upsert of SQLite and PostgreSQL. */
export function onConflictUpsert(db: Kysely<Tables>): Dialect["upsert"] {
  return (table, row, key): Compilable =>
    insertOf(db, table, row).onConflict((conflict) =>
      conflict
        .columns([...key])
        .doUpdateSet(
          assignments(otherColumns(row, key), (column) => sql.ref(`excluded.${column}`)),
        ),
    );
}
