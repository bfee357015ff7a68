import { FIRST_MIGRATION, MIGRATION_NAMES } from "../migrations/names.ts";
import type { Connections } from "../transactions/connections.ts";
import type { QueryPort } from "../raw/query-port.ts";
import { textOf } from "../raw/row.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import type { Context } from "./contexts.ts";

export type SchemaState =
  | { readonly status: "current" }
  | { readonly status: "outdated"; readonly missing: readonly string[] }
  /** A newer release has migrated this database, and this one cannot run on it. */
  | { readonly status: "newer"; readonly unknown: readonly string[] }
  /** A trial before the first release has made this database. */
  | { readonly status: "trial" };

/**
 * Compares applied migrations with existing ones, in plain SQL. A schema of a newer release is
 * current when this release knows the migration that the schema requires, so that both releases run
 * side by side during an update.
 */
export async function schemaState({
  type,
  port,
}: Pick<Connections, "type"> & { readonly port: QueryPort }): Promise<SchemaState> {
  const missing: string[] = [];
  const unknown: string[] = [];
  for (const context of CONTEXTS) {
    const known = MIGRATION_NAMES[context];
    const applied = await appliedTo(port, type, context);
    if (applied.some((name) => name < FIRST_MIGRATION)) return { status: "trial" };
    missing.push(
      ...known.filter((name) => !applied.includes(name)).map((name) => `${context}/${name}`),
    );
    unknown.push(...applied.filter((name) => !known.includes(name)));
  }
  if (unknown.length > 0 && !(await isCompatible(port, type))) return { status: "newer", unknown };
  return missing.length > 0 ? { status: "outdated", missing } : { status: "current" };
}

const REQUIRED = { sql: "select required from schema_level where id = 1" };

/** Whether this release knows the migration that a host must know. */
async function isCompatible(port: QueryPort, type: Connections["type"]): Promise<boolean> {
  if (!(await port.one({ sql: TABLE_EXISTS[type] }, ["schema_level"]))) return false;
  const row = await port.one(REQUIRED, []);
  return row !== undefined && MIGRATION_NAMES.catalog.includes(textOf(row, "required"));
}

const TABLE_EXISTS = {
  Sqlite: "select name from sqlite_master where type = 'table' and name = ?",
  PostgreSQL:
    "select table_name as name from information_schema.tables" +
    " where table_schema = current_schema() and table_name = ?",
  MySql:
    "select table_name as name from information_schema.tables" +
    " where table_schema = database() and table_name = ?",
  SqlServer: "select name from sys.tables where schema_id = schema_id() and name = ?",
};

async function appliedTo(
  port: QueryPort,
  type: Connections["type"],
  context: Context,
): Promise<readonly string[]> {
  const table = MIGRATIONS_TABLE[context];
  if (!(await port.one({ sql: TABLE_EXISTS[type] }, [table]))) return [];
  const rows = await port.all({ sql: `select name from ${table} order by id` }, []);
  return rows.map((row) => textOf(row, "name"));
}
