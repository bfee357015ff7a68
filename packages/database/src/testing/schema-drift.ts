import { ENTITIES } from "../entities/contexts.ts";
import type { Connections } from "../orm/connections.ts";
import { kyselyOverPool, kyselyOverSqlite } from "../orm/kysely.ts";
import { openOrms } from "../orm/open-orm.ts";
import type { Orms } from "../orm/open-orm.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "../schema/contexts.ts";
import type { Context } from "../schema/contexts.ts";

/**
 * The SQL that would turn PostgreSQL's tables into what the entities describe, or "" when they
 * agree. A look at the real tables, where `checkSchema` compares with the committed snapshot.
 */
export async function postgresDrift(connections: Connections, context: Context): Promise<string> {
  const orms = await ormsOver(connections);
  return (await orms[context].schema.getUpdateSchemaSQL({ wrap: false })).trim();
}

/** Makes the tables of both contexts straight from the entities, without migrations. */
export async function createFromEntities(connections: Connections): Promise<void> {
  const orms = await ormsOver(connections);
  for (const context of CONTEXTS) await orms[context].schema.create();
}

const DETAILS = {
  columns:
    'select name, lower(type) as type, "notnull", pk from pragma_table_info(?) order by name',
  indexes: `select i.name, i."unique", group_concat(c.name, ',') as columns
    from pragma_index_list(?) i, pragma_index_info(i.name) c
    where i.name not like 'sqlite_autoindex%' group by i.name order by i.name`,
  references: `select "from", "table", "to", on_update, on_delete
    from pragma_foreign_key_list(?) order by "from"`,
};

/** What SQLite has made of the tables. MikroORM's own comparison takes its `integer primary key`
 * for a difference from the entities' bigint, so the tables are compared with tables instead. */
export async function describeSqlite({ port }: Connections): Promise<Record<string, unknown>> {
  const tables = await port.all(
    { sql: "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'" },
    [],
  );
  const described: Record<string, unknown> = {};
  for (const { name } of tables) {
    const table = String(name);
    if (Object.values(MIGRATIONS_TABLE).includes(table)) continue;
    const details: Record<string, unknown> = {};
    for (const [what, sql] of Object.entries(DETAILS)) {
      details[what] = await port.all({ sql }, [table]);
    }
    described[table] = details;
  }
  return described;
}

function ormsOver(connections: Connections): Promise<Orms> {
  const { type, name } = connections;
  const kysely =
    connections.type === "Sqlite"
      ? kyselyOverSqlite(connections.port.writer)
      : kyselyOverPool(connections.port.pool);
  // Each context would drop the tables of the other.
  return openOrms({ type, name, kysely }, (own) => ({
    schemaGenerator: { skipTables: tablesBeside(own) },
  }));
}

function tablesBeside(own: Context): string[] {
  const others = CONTEXTS.filter((context) => context !== own);
  const foreign = others.flatMap((context) => ENTITIES[context].map(({ meta }) => meta.tableName));
  return [...foreign, ...Object.values(MIGRATIONS_TABLE)];
}
