import { ENTITIES } from "../entities/contexts.ts";
import type { Connections } from "../transactions/connections.ts";
import { kyselyOf } from "../schema/kysely.ts";
import { openOrms } from "../schema/open-orm.ts";
import type { Orms } from "../schema/open-orm.ts";
import { CONTEXTS, MIGRATIONS_TABLE, MIGRATION_STEPS_TABLE } from "../schema/contexts.ts";
import type { Context } from "../schema/contexts.ts";

/**
 * The SQL that would turn PostgreSQL's tables into what the entities describe, or "" when they
 * agree. Compares the entities with the real tables.
 */
export async function postgresDrift(connections: Connections, context: Context): Promise<string> {
  const orms = await ormsOver(connections);
  const statements = (await orms[context].schema.getUpdateSchemaSQL({ wrap: false })).split("\n");
  // Entities describe no triggers; that ours do their work is what the search contract proves.
  return statements
    .filter((sql) => !/^drop (?:trigger|function) /.test(sql))
    .join("\n")
    .trim();
}

/** Makes the tables of both contexts straight from the entities, without migrations. */
export async function createFromEntities(connections: Connections): Promise<void> {
  const orms = await ormsOver(connections);
  for (const context of CONTEXTS) await orms[context].schema.create();
}

/**
 * Describes the actual tables. Compares tables with tables, because MikroORM's comparison reports
 * false differences: SQLite's `integer primary key`, and null defaults on MariaDB.
 */
export async function describeTables({
  type,
  port,
}: Connections): Promise<Record<string, unknown>> {
  if (type === "PostgreSQL" || type === "SqlServer") {
    throw new Error(`The tables of ${type} are compared otherwise.`);
  }
  const { tables, ...details } = DESCRIPTIONS[type];
  const described: Record<string, unknown> = {};
  for (const { name } of await port.all({ sql: tables }, [])) {
    const table = String(name);
    if (OURS.has(table)) continue;
    const tableDetails: Record<string, unknown> = {};
    for (const [what, sql] of Object.entries(details)) {
      tableDetails[what] = await port.all({ sql }, [table]);
    }
    described[table] = tableDetails;
  }
  return described;
}

/**
 * Tables without an entity: the log of migrations, and the indexes of words of
 * searches (in SQLite virtual tables with three more tables each).
 */
const OURS: ReadonlySet<string> = new Set([
  ...Object.values(MIGRATIONS_TABLE),
  MIGRATION_STEPS_TABLE,
  ...["nuget", "npm"].flatMap((protocol) =>
    ["", "_data", "_idx", "_config"].map((part) => `${protocol}_search_words${part}`),
  ),
]);

const DESCRIPTIONS = {
  Sqlite: {
    tables: "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
    columns:
      'select name, lower(type) as type, "notnull", pk from pragma_table_info(?) order by name',
    indexes: `select i.name, i."unique", group_concat(c.name, ',') as columns
      from pragma_index_list(?) i, pragma_index_info(i.name) c
      where i.name not like 'sqlite_autoindex%' group by i.name order by i.name`,
    references: `select "from", "table", "to", on_update, on_delete
      from pragma_foreign_key_list(?) order by "from"`,
  },
  // Without the search index, a generated column: no other database has it in that table.
  MySql: {
    tables:
      "select table_name as name from information_schema.tables where table_schema = database()",
    columns: `select column_name as name, column_type, is_nullable, column_default, extra,
      collation_name from information_schema.columns
      where table_schema = database() and table_name = ?
      and coalesce(generation_expression, '') = '' order by column_name`,
    indexes: `select index_name as name, non_unique, index_type,
      group_concat(column_name order by seq_in_index) as columns from information_schema.statistics
      where table_schema = database() and table_name = ? and index_type <> 'FULLTEXT'
      group by 1, 2, 3 order by 1`,
    references: `select c.constraint_name as name, c.referenced_table_name as target, c.delete_rule,
      c.update_rule, k.column_name as origin, k.referenced_column_name as target_column
      from information_schema.referential_constraints c
      join information_schema.key_column_usage k on k.constraint_name = c.constraint_name
        and k.constraint_schema = c.constraint_schema
      where c.constraint_schema = database() and c.table_name = ? order by 1`,
  },
};

function ormsOver(connections: Connections): Promise<Orms> {
  if (connections.type === "SqlServer") throw new Error("MikroORM does not connect to SQL Server.");
  const { type, name } = connections;
  const kysely = kyselyOf(connections);
  // Each context would drop the tables of the other.
  return openOrms({ type, name, kysely }, (own) => ({
    schemaGenerator: { skipTables: tablesBeside(own) },
  }));
}

function tablesBeside(own: Context): string[] {
  const others = CONTEXTS.filter((context) => context !== own);
  const foreign = others.flatMap((context) => ENTITIES[context].map(({ meta }) => meta.tableName));
  return [...foreign, ...OURS];
}
