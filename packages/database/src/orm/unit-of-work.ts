import { setImmediate as breathe, setTimeout as wait } from "node:timers/promises";
import { DeadlockException, UniqueConstraintViolationException } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { CompiledQuery } from "kysely";
import type { ControlledTransaction, Kysely } from "kysely";
import { mysqlSql, mysqlValues } from "../raw/mysql-statement.ts";
import { numberedSql, postgresValues } from "../raw/postgres-statement.ts";
import type { Parameter, Row, Statement } from "../raw/query-port.ts";
import type { Connections } from "./connections.ts";
import type { Orms } from "./open-orm.ts";

/** Both contexts inside one transaction. Inside it only the database is awaited. */
export type Unit = PlainUnit & {
  readonly catalog: SqlEntityManager;
  readonly identity: SqlEntityManager;
};

/** One transaction of plain statements. Inside it only the database is awaited. MikroORM's own way
 * costs many times as much, which counts for what every push does. */
export type PlainUnit = {
  /** Plain rows, read within the transaction. */
  readonly read: (
    statement: Statement,
    parameters: readonly Parameter[],
  ) => Promise<readonly Row[]>;
  /** A plain statement within the transaction; gives the number of rows changed. */
  readonly run: (statement: Statement, parameters: readonly Parameter[]) => Promise<number>;
  /** What ends a `select` that locks its rows; nothing where there is one writer anyway. */
  readonly forUpdate: "" | " for update";
  /** The same for rows that must stay as they are until the commit. */
  readonly forShare: "" | " for share" | " lock in share mode";
  /** Called once the transaction is committed, never when it is rolled back. */
  readonly afterCommit: (listener: () => void) => void;
};

export type Transaction = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>;
export type PlainTransaction = <T>(work: (unit: PlainUnit) => Promise<T>) => Promise<T>;

/** Two conflicts in a row are chance; many mean that trying again does not help. */
const ATTEMPTS_MAX = 8;
/** Times the number of attempts so far: lets those who met pass one after the other. */
const PAUSE_MS = 5;

/**
 * Runs work in one transaction over both contexts. It is run again from its start when the
 * database chose it as the victim of a conflict, or when another transaction inserted a row at the
 * same moment that this one had found missing; `work` must therefore decide from what it reads.
 */
export function createTransaction(orms: Orms, connections: Connections): Transaction {
  const attempt = async <T>(work: (unit: Unit) => Promise<T>): Promise<T> => {
    const listeners: (() => void)[] = [];
    const result = await orms.catalog.em.fork().transactional(async (catalog) => {
      const transaction = catalog.getTransactionContext<ControlledTransaction<unknown>>();
      const identity = orms.identity.em.fork();
      identity.setTransactionContext(transaction);
      const afterCommit = (listener: () => void) => listeners.push(listener);
      return work({ catalog, identity, afterCommit, ...plainIn(connections, transaction) });
    });
    for (const listener of listeners) listener();
    return result;
  };
  if (connections.type !== "Sqlite") return (work) => again(connections, () => attempt(work));
  const { port } = connections;
  return async (work) => {
    try {
      return await port.inTurn(() => again(connections, () => attempt(work)));
    } finally {
      // SQLite answers at once, so whoever changes one thing after the other would never let
      // anybody else have a turn.
      await breathe();
    }
  };
}

/** The same without MikroORM. On SQLite such transactions may share a commit. */
export function createPlainTransaction(
  kysely: Kysely<unknown>,
  connections: Connections,
): PlainTransaction {
  return async (work) => {
    const listeners: (() => void)[] = [];
    const attempt = (transaction?: ControlledTransaction<unknown>) => {
      listeners.length = 0;
      const afterCommit = (listener: () => void) => listeners.push(listener);
      return work({ afterCommit, ...plainIn(connections, transaction) });
    };
    const result =
      connections.type === "Sqlite"
        ? await connections.port.together(() => attempt())
        : await again(connections, () => inTransaction(kysely, attempt));
    for (const listener of listeners) listener();
    return result;
  };
}

async function inTransaction<T>(
  kysely: Kysely<unknown>,
  work: (transaction: ControlledTransaction<unknown>) => Promise<T>,
): Promise<T> {
  const transaction = await kysely.startTransaction().execute();
  try {
    const result = await work(transaction);
    await transaction.commit().execute();
    return result;
  } catch (error) {
    // A connection that broke has nothing to roll back; what broke it is what matters.
    if (!transaction.isCommitted)
      await transaction
        .rollback()
        .execute()
        .catch(() => undefined);
    throw error;
  }
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
  transaction: ControlledTransaction<unknown> | undefined,
): Omit<PlainUnit, "afterCommit"> {
  if (connections.type === "Sqlite") {
    const { port } = connections;
    return {
      forUpdate: "",
      forShare: "",
      read: async (...query) => port.readInTurn(...query),
      run: async (...query) => port.runInTurn(...query),
    };
  }
  const execute = (statement: Statement, parameters: readonly Parameter[]) => {
    if (!transaction) throw new Error("There is no open transaction.");
    const query =
      connections.type === "MySql"
        ? CompiledQuery.raw(mysqlSql(statement), mysqlValues(parameters))
        : CompiledQuery.raw(numberedSql(statement), postgresValues(parameters));
    return transaction.executeQuery<Row>(query);
  };
  return {
    forUpdate: " for update",
    // MariaDB knows the older spelling only.
    forShare: connections.type === "MySql" ? " lock in share mode" : " for share",
    read: async (...query) => (await execute(...query)).rows,
    run: async (...query) => Number((await execute(...query)).numAffectedRows ?? 0),
  };
}

function isConflict(error: unknown, connections: Connections): boolean {
  if (error instanceof DeadlockException) return true;
  if (error instanceof UniqueConstraintViolationException) return true;
  // From plain statements, which MikroORM does not translate; and what it names otherwise.
  return connections.type !== "Sqlite" && connections.port.isConflict(error);
}
