import { retryConflicts } from "../raw/retry-conflicts.ts";
import { mysqlValues } from "../raw/mysql-values.ts";
import { numberedSql, postgresValues } from "../raw/postgres-statement.ts";
import { decodedRows } from "../raw/query-port.ts";
import type { Parameter, Statement } from "../raw/query-port.ts";
import { sqlServerText } from "../raw/sqlserver-statement.ts";
import { inTransaction, inTurn } from "../raw/reserved-connection.ts";
import type { ReservedConnection } from "../raw/reserved-connection.ts";
import { withDatabaseErrors } from "../raw/unavailable.ts";
import { insertsOver, queriesOver } from "../statements/queries.ts";
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
              inTransaction(() => reserve(connections), attempt),
            ),
      ),
    );
  };
}

/** PostgreSQL alone takes statements before it has answered earlier ones. */
async function reserve({
  type,
  port,
}: Exclude<Connections, { readonly type: "Sqlite" }>): Promise<ReservedConnection> {
  const connection = await port.reserve();
  return type === "PostgreSQL" ? connection : inTurn(connection);
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
    return withQueries("Sqlite", {
      read: async (...query) => port.readInTurn(...query),
      one: async (...query) => port.readOneInTurn(...query),
      run: async (...query) => port.runInTurn(...query),
      insert: async (...query) => port.insertInTurn(...query),
    });
  }
  const execute = (statement: Statement, parameters: readonly Parameter[]) => {
    if (!connection) throw new Error("The transaction has not begun, or has ended.");
    switch (connections.type) {
      case "PostgreSQL":
        return connection.execute(
          { ...statement, sql: numberedSql(statement) },
          postgresValues(parameters),
        );
      case "MySql":
        return connection.execute(statement, mysqlValues(parameters));
      case "SqlServer":
        return connection.execute({ ...statement, sql: sqlServerText(statement) }, parameters);
    }
  };
  const { type } = connections;
  return withQueries(type, {
    read: async (statement, parameters) =>
      decodedRows(statement, (await execute(statement, parameters)).rows),
    run: async (...query) => (await execute(...query)).changes,
    async insert(statement, parameters) {
      const { rows, insertId } = await execute(withGeneratedId(type, statement), parameters);
      return insertId ?? Number(rows[0]?.["id"]);
    },
  });
}

/** An insert that returns the id of its row. MySQL reports it with each insert. */
function withGeneratedId(type: DialectName, statement: Statement): Statement {
  const { name, sql } = statement;
  if (type === "MySql") return statement;
  const suffix =
    type === "PostgreSQL" ? " returning id" : "; select cast(scope_identity() as bigint) as id";
  return { ...statement, ...(name !== undefined && { name: `${name}-id` }), sql: sql + suffix };
}

type RawUnit = Pick<Unit, "read" | "run"> & {
  /** Absent: the first row of `read`. */
  readonly one?: RawQueries["one"];
  readonly insert: (statement: Statement, parameters: readonly Parameter[]) => Promise<number>;
};

function withQueries(
  type: DialectName,
  { read, one, run, insert }: RawUnit,
): Pick<Unit, "read" | "run" | "queries"> {
  const first = async (...query: Parameters<typeof read>) => (await read(...query))[0];
  const queries = queriesOver(type, { all: read, one: one ?? first, run });
  return { read, run, queries: { ...queries, insert: insertsOver(type, insert) } };
}
