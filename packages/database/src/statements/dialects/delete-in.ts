import { sql } from "#kysely";
import type { Kysely, RawBuilder, SqlBool } from "#kysely";
import type { Tables } from "../tables.ts";
import type { Dialect } from "./dialect.ts";

/** The delete of SQLite and PostgreSQL. */
export function singleTableDelete(db: Kysely<Tables>): Dialect["deleteIn"] {
  return (table, column, items) => deleteOf(db, table).where(isIn(column, items));
}

/** A delete over several tables, of which there is one: MySQL uses an index only for this form. */
export function multiTableDelete(db: Kysely<Tables>): Dialect["deleteIn"] {
  return (table, column, items) => deleteOf(db, table).using(table).where(isIn(column, items));
}

/** A delete from a table whose name is a text: `Dialect.deleteIn` has checked the column. */
function deleteOf(db: Kysely<Tables>, table: string) {
  return (db as unknown as Kysely<Record<string, Record<string, unknown>>>).deleteFrom(table);
}

function isIn(column: string, items: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} in ${items}`;
}
