import { setImmediate as yieldToEventLoop, setTimeout as wait } from "node:timers/promises";
import { DeadlockException, UniqueConstraintViolationException } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import type { CompiledQuery, Kysely } from "kysely";
import { mysqlSql, mysqlValues } from "../raw/mysql-statement.ts";
import { numberedSql, postgresValues } from "../raw/postgres-statement.ts";
import type { Parameter, Row, Statement } from "../raw/query-port.ts";
import { inTransaction } from "../raw/reserved-connection.ts";
import type { ReservedConnection } from "../raw/reserved-connection.ts";
import { withDatabaseErrors } from "../raw/unavailable.ts";
import { queriesOver } from "../statements/queries.ts";
import type { Queries } from "../statements/queries.ts";
import type { DialectName } from "../statements/statement.ts";
import type { Connections } from "./connections.ts";
import type { Orms } from "./open-orm.ts";

/** A transaction over both contexts. Await only the database inside it. */
export type Unit = PlainUnit & {
  readonly catalog: SqlEntityManager;
  readonly identity: SqlEntityManager;
};

/**
 * A transaction of plain statements, which is several times faster than MikroORM; every push uses
 * it. Await only the database inside it.
 */
export type PlainUnit = {
  /** Plain rows, read within the transaction. */
  readonly read: (
    statement: Statement,
    parameters: readonly Parameter[],
  ) => Promise<readonly Row[]>;
  /** A plain statement within the transaction; gives the number of rows changed. */
  readonly run: (statement: Statement, parameters: readonly Parameter[]) => Promise<number>;
  /** Executes typed statements within the transaction. */
  readonly queries: Queries;
  /** Suffix of a `select` that locks its rows; empty for databases with a single writer. */
  readonly forUpdate: "" | " for update";
  /** The same for rows that must not change before the commit. */
  readonly forShare: "" | " for share" | " lock in share mode";
  /** Called after the commit, but not after a rollback. */
  readonly afterCommit: (listener: () => void) => void;
  /**
   * Requires a valid token of the caller at commit. Events call it for their caller; a change
   * without events must call it.
   */
  readonly askedBy: (caller: { readonly tokenId?: string }) => void;
};

export type Transaction = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>;
export type PlainTransaction = <T>(work: (unit: PlainUnit) => Promise<T>) => Promise<T>;
/** A transaction without the check of the caller's token, which `createChanges` adds. */
export type BareTransaction<Of extends PlainUnit> = <T>(
  work: (unit: Omit<Of, "askedBy">) => Promise<T>,
) => Promise<T>;

/** Two conflicts in a row are chance; many mean that trying again does not help. */
const ATTEMPTS_MAX = 8;
/** Times the number of attempts so far: lets those who met pass one after the other. */
const PAUSE_MS = 5;

/**
 * Runs work in one transaction over both contexts. Repeats it from the start after a deadlock, or
 * when another transaction has inserted a row that this one missed. `work` must therefore decide
 * from what it reads.
 */
export function createTransaction(
  orms: Orms,
  connections: Connections,
  kysely: Kysely<unknown>,
): BareTransaction<Unit> {
  return async (work) => {
    const attempt = (connection?: ReservedConnection) =>
      listening((afterCommit) => {
        const context = connection ? contextOver(connection) : kysely;
        const catalog = orms.catalog.em.fork();
        const identity = orms.identity.em.fork();
        catalog.setTransactionContext(context);
        identity.setTransactionContext(context);
        return work({ catalog, identity, afterCommit, ...plainIn(connections, connection) });
      });
    const { place } = connections.port;
    return announced(
      await withDatabaseErrors(place, () =>
        connections.type === "Sqlite"
          ? inSqlite(connections, attempt)
          : again(connections, () => inTransaction(connections.port.reserve, attempt)),
      ),
    );
  };
}

/** The same without MikroORM. On SQLite such transactions may share a commit. */
export function createPlainTransaction(connections: Connections): BareTransaction<PlainUnit> {
  return async (work) => {
    const attempt = (connection?: ReservedConnection) =>
      listening((afterCommit) => work({ afterCommit, ...plainIn(connections, connection) }));
    const { place } = connections.port;
    return announced(
      await withDatabaseErrors(place, () =>
        connections.type === "Sqlite"
          ? connections.port.together(attempt)
          : again(connections, () => inTransaction(connections.port.reserve, attempt)),
      ),
    );
  };
}

type Done<T> = { readonly result: T; readonly listeners: readonly (() => void)[] };

async function listening<T>(
  work: (afterCommit: PlainUnit["afterCommit"]) => Promise<T>,
): Promise<Done<T>> {
  const listeners: (() => void)[] = [];
  const result = await work((listener) => listeners.push(listener));
  return { result, listeners };
}

function announced<T>({ result, listeners }: Done<T>): T {
  for (const listener of listeners) listener();
  return result;
}

async function inSqlite<T>(
  connections: Extract<Connections, { readonly type: "Sqlite" }>,
  attempt: () => Promise<T>,
): Promise<T> {
  const { port } = connections;
  try {
    return await port.inTurn(() => again(connections, () => port.transaction(attempt)));
  } finally {
    // SQLite answers synchronously, so consecutive changes would block all other work.
    await yieldToEventLoop();
  }
}

/** Adapts a Kysely transaction for MikroORM. */
function contextOver(connection: ReservedConnection) {
  return {
    async executeQuery({ sql, parameters }: CompiledQuery) {
      const { rows, changes, insertId } = await connection.execute(sql, parameters);
      return { rows, numAffectedRows: changes, insertId };
    },
  };
}

async function again<T>(connections: Connections, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === ATTEMPTS_MAX || !isConflict(error, connections)) throw error;
    }
    await wait(count * PAUSE_MS);
  }
}

function plainIn(
  connections: Connections,
  connection: ReservedConnection | undefined,
): Omit<PlainUnit, "afterCommit" | "askedBy"> {
  if (connections.type === "Sqlite") {
    const { port } = connections;
    return {
      forUpdate: "",
      forShare: "",
      ...withQueries("Sqlite", {
        read: async (...query) => port.readInTurn(...query),
        run: async (...query) => port.runInTurn(...query),
      }),
    };
  }
  const execute = (statement: Statement, parameters: readonly Parameter[]) => {
    if (!connection) throw new Error("There is no open transaction.");
    return connections.type === "MySql"
      ? connection.execute(mysqlSql(statement), mysqlValues(parameters))
      : connection.execute(numberedSql(statement), postgresValues(parameters));
  };
  return {
    forUpdate: " for update",
    // MariaDB knows the older spelling only.
    forShare: connections.type === "MySql" ? " lock in share mode" : " for share",
    ...withQueries(connections.type, {
      read: async (...query) => (await execute(...query)).rows,
      run: async (...query) => (await execute(...query)).changes,
    }),
  };
}

function withQueries(
  type: DialectName,
  { read, run }: Pick<PlainUnit, "read" | "run">,
): Pick<PlainUnit, "read" | "run" | "queries"> {
  const one = async (...query: Parameters<typeof read>) => (await read(...query))[0];
  return { read, run, queries: queriesOver(type, { all: read, one, run }) };
}

function isConflict(error: unknown, connections: Connections): boolean {
  if (error instanceof DeadlockException) return true;
  if (error instanceof UniqueConstraintViolationException) return true;
  // From plain statements, which MikroORM does not translate; and what it names otherwise.
  return connections.type !== "Sqlite" && connections.port.isConflict(error);
}
