import { setTimeout as wait } from "node:timers/promises";
import type { Asker } from "../identity/good-token.ts";
import { mysqlValues } from "../raw/mysql-values.ts";
import { numberedSql, postgresValues } from "../raw/postgres-statement.ts";
import type { ChangedNames } from "../history/follow-changes.ts";
import { decodedRows } from "../raw/query-port.ts";
import type { Parameter, Row, Statement } from "../raw/query-port.ts";
import { sqlServerText } from "../raw/sqlserver-statement.ts";
import { inTransaction } from "../raw/reserved-connection.ts";
import type { ReservedConnection } from "../raw/reserved-connection.ts";
import { withDatabaseErrors } from "../raw/unavailable.ts";
import { queriesOver } from "../statements/queries.ts";
import type { Queries } from "../statements/queries.ts";
import type { DialectName } from "../statements/statement.ts";
import type { Connections } from "./connections.ts";

/** A transaction over both contexts. Await only the database inside it. */
export type Unit = {
  /** Reads with a text of one database; the ports use `queries`. */
  readonly read: (
    statement: Statement,
    parameters: readonly Parameter[],
  ) => Promise<readonly Row[]>;
  /** The same for a change; resolves to the number of changed rows. */
  readonly run: (statement: Statement, parameters: readonly Parameter[]) => Promise<number>;
  /** Executes typed statements within the transaction. */
  readonly queries: Queries;
  /** Called after the commit, but not after a rollback. */
  readonly afterCommit: (listener: () => void) => void;
  /**
   * Requires a valid token or session of the caller at commit, and a role that allows the change.
   * Events call it for their caller; a change without events must call it.
   */
  readonly askedBy: (caller: Asker) => void;
  /** Requires at commit that the caller's token may create names. */
  readonly createsName: () => void;
  /** Records the changed facts of these names in the history, before the commit. */
  readonly follow: (changed: ChangedNames) => void;
};

export type Transaction = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>;
/** A transaction without the check of the caller's token, which `createChanges` adds. */
export type BareTransaction = <T>(work: (unit: BareUnit) => Promise<T>) => Promise<T>;

export type BareUnit = Omit<Unit, "askedBy" | "createsName" | "follow">;

/** Two conflicts in a row are chance; many mean that trying again does not help. */
const ATTEMPTS_MAX = 8;
/** Times the number of attempts so far: lets those who met pass one after the other. */
const PAUSE_MS = 5;

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
          : repeatedly(connections.port.isConflict, () =>
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

/** Repeats an attempt after conflicts with other transactions. */
async function repeatedly<T>(
  isConflict: (error: unknown) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === ATTEMPTS_MAX || !isConflict(error)) throw error;
    }
    await wait(count * PAUSE_MS);
  }
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
      run: async (...query) => port.runInTurn(...query),
    });
  }
  const execute = (statement: Statement, parameters: readonly Parameter[]) => {
    if (!connection) throw new Error("There is no open transaction.");
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
