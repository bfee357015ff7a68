import { DeadlockException, UniqueConstraintViolationException } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Connections } from "./connections.ts";
import type { Orms } from "./open-orm.ts";

/** Both contexts inside one transaction. Inside it only the database is awaited. */
export type Unit = {
  readonly catalog: SqlEntityManager;
  readonly identity: SqlEntityManager;
  /** Called once the transaction is committed, never when it is rolled back. */
  readonly afterCommit: (listener: () => void) => void;
};

export type Transaction = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>;

/** Two conflicts in a row are chance; five mean that trying again does not help. */
const ATTEMPTS_MAX = 5;

/**
 * Runs work in one transaction over both contexts. It is run again from its start when the
 * database chose it as the victim of a conflict, or when another transaction inserted a row at the
 * same moment that this one had found missing; `work` must therefore decide from what it reads.
 */
export function createTransaction(orms: Orms, connections: Connections): Transaction {
  const attempt = async <T>(work: (unit: Unit) => Promise<T>): Promise<T> => {
    const listeners: (() => void)[] = [];
    const result = await orms.catalog.em.fork().transactional(async (catalog) => {
      const identity = orms.identity.em.fork();
      identity.setTransactionContext(catalog.getTransactionContext());
      return work({ catalog, identity, afterCommit: (listener) => listeners.push(listener) });
    });
    for (const listener of listeners) listener();
    return result;
  };
  const run = async <T>(work: (unit: Unit) => Promise<T>): Promise<T> => {
    for (let count = 1; ; count++) {
      try {
        return await attempt(work);
      } catch (error) {
        if (count === ATTEMPTS_MAX || !isConflict(error)) throw error;
      }
    }
  };
  return connections.type === "Sqlite" ? (work) => connections.port.inTurn(() => run(work)) : run;
}

function isConflict(error: unknown): boolean {
  return error instanceof DeadlockException || error instanceof UniqueConstraintViolationException;
}
