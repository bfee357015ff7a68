import { retryConflicts } from "../raw/retry-conflicts.ts";
import { mysqlValues } from "../raw/mysql-values.ts";
import { numberedSql, postgresValues } from "../raw/postgres-statement.ts";
import { decodedRows } from "../raw/query-port.ts";
import type { Parameter, Statement } from "../raw/query-port.ts";
import { sqlServerText } from "../raw/sqlserver-statement.ts";
import { inTransaction } from "../raw/reserved-connection.ts";
import type { ReservedConnection } from "../raw/reserved-connection.ts";
import { withDatabaseErrors } from "../raw/unavailable.ts";
import { queriesOver } from "../statements/queries.ts";
import type { RawQueries } from "../statements/queries.ts";
import type { DialectName } from "../statements/typed-statement.ts";
import type { Connections } from "./connections.ts";
import type { BareTransaction, BareUnit, Unit } from "./unit-of-work.ts";

/**
 * Runs work in one transaction over both contexts. Repeats it from the start after a deadlock, or
 * when another transaction has inserted a row that this one missed. `work` must therefore decide
 * from what it reads. On SQLite, transactions may share a commit.
 */
export function createTransaction(connections: Connections): BareTransaction {
  return async (work) => {
    const attempt = (connection?: ReservedConnection) =>
      listening((afterCommit) => work({ afterCommit, ...unitOver(connections, connection) }));
    const { place } = connections.port;
    return announced(
      await withDatabaseErrors(place, () =>
        connections.type === "Sqlite"
          ? connections.port.together(attempt)
          : retryConflicts(connections.port.isConflict, () =>
              inTransaction(connections.port.reserve, attempt),
            ),
      ),
    );
  };
}

type Done<T> = { readonly result: T; readonly listeners: readonly (() => void)[] };

async function listening<T>(
  work: (afterCommit: Unit["afterCommit"]) => Promise<T>,
): Promise<Done<T>> {
  const listeners: (() => void)[] = [];
  const result = await work((listener) => listeners.push(listener));
  return { result, listeners };
}

function announced<T>({ result, listeners }: Done<T>): T {
  for (const listener of listeners) listener();
  return result;
}

/** A unit over the open transaction of a connection; of the writer on SQLite. */
function unitOver(
  connections: Connections,
  connection: ReservedConnection | undefined,
): Omit<BareUnit, "afterCommit"> {
  if (connections.type === "Sqlite") {
    const { port } = connections;
    const read: Unit["read"] = async (statement, parameters) =>
      port.readInTurn(statement, parameters);
    const run: Unit["run"] = async (statement, parameters) => port.runInTurn(statement, parameters);
    const one: RawQueries["one"] = async (statement, parameters) =>
      port.readOneInTurn(statement, parameters);
    return { read, run, queries: queriesOver("Sqlite", { all: read, one, run }) };
  }
  const execute = (statement: Statement, parameters: readonly Parameter[]) => {
    if (!connection) throw new Error("The transaction has not begun, or has ended.");
    switch (connections.type) {
      case "PostgreSQL":
        return connection.execute(numberedSql(statement), postgresValues(parameters));
      case "MySql":
        return connection.execute(statement.sql, mysqlValues(parameters));
      case "SqlServer":
        return connection.execute(sqlServerText(statement), parameters, statement.types);
    }
  };
  return withQueries(connections.type, {
    read: async (statement, parameters) =>
      decodedRows(statement, (await execute(statement, parameters)).rows),
    run: async (...query) => (await execute(...query)).changes,
  });
}

function withQueries(
  type: DialectName,
  { read, run }: Pick<Unit, "read" | "run">,
): Pick<Unit, "read" | "run" | "queries"> {
  const readOne = async (...query: Parameters<typeof read>) => (await read(...query))[0];
  return { read, run, queries: queriesOver(type, { all: read, one: readOne, run }) };
}
