import { decodedRows } from "../raw/query-port.ts";
import type { Parameter, Row, Statement } from "../raw/query-port.ts";
import { queriesOver } from "../statements/queries.ts";
import type { Queries } from "../statements/queries.ts";
import type { DialectName } from "../statements/statement.ts";

type Execute = (sql: string, parameters: unknown[]) => Promise<readonly unknown[]>;

/** Executes typed statements in a migration, which numbers no placeholders. */
export function migrationQueries(type: DialectName, execute: Execute): Queries {
  const all = async (statement: Statement, parameters: readonly Parameter[]) => {
    const rows = await execute(statement.sql.replaceAll(/\$\d+/g, "?"), [...parameters]);
    return decodedRows(statement, rows as Row[]);
  };
  return queriesOver(type, {
    all,
    one: async (...query) => (await all(...query))[0],
    run: async (...query) => (await all(...query)).length,
  });
}
