import { setTimeout as wait } from "node:timers/promises";
import type { Row, Statement } from "./query-port.ts";

export type Executed = {
  readonly rows: readonly Row[];
  /** Number of changed or returned rows. */
  readonly changes: number;
  /** Last generated row number, where the database returns it. */
  readonly insertId?: number;
};

/** One connection of a pool, for one transaction. */
export type ReservedConnection = {
  /** Executes the text of a statement; one with a name is prepared once per connection. */
  execute(
    statement: Pick<Statement, "name" | "sql" | "types">,
    values: readonly unknown[],
  ): Promise<Executed>;
  begin(): Promise<void>;
  /** Rejects unless the server confirms that it committed. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Returns the connection to the pool. */
  release(): void;
  /** Closes the connection and frees its place in the pool. */
  destroy(): void;
};

/**
 * Executes statements one after the other, for connections that take one at a time, and none after
 * one that failed: the server may have ended the transaction.
 */
export function inTurn(connection: ReservedConnection): ReservedConnection {
  let previous: Promise<unknown> = Promise.resolve();
  return {
    ...connection,
    execute(...query) {
      const executed = previous.then(() => connection.execute(...query));
      previous = executed;
      return executed;
    },
  };
}

export const ROLLBACK_TIMEOUT_MS = 5_000;

/**
 * Runs work between `begin` and `commit`. Transactions of Kysely, and of MikroORM, leak the
 * connection when `begin` or `rollback` fails (kysely-org/kysely#1990). This function always
 * returns the connection, or closes it when the state of its transaction is unknown. Throws the
 * first error.
 */
export async function inTransaction<T>(
  reserve: () => Promise<ReservedConnection>,
  work: (connection: ReservedConnection) => Promise<T>,
): Promise<T> {
  const connection = await reserve();
  let isReusable = false;
  try {
    await connection.begin();
    const result = await work(connection);
    await connection.commit();
    isReusable = true;
    return result;
  } catch (error) {
    isReusable = await isRolledBack(connection);
    throw error;
  } finally {
    if (isReusable) connection.release();
    else connection.destroy();
  }
}

async function isRolledBack(connection: ReservedConnection): Promise<boolean> {
  const answered = new AbortController();
  try {
    const { signal } = answered;
    const tooLate = wait(ROLLBACK_TIMEOUT_MS, false, { signal }).catch(() => false);
    return await Promise.race([connection.rollback().then(() => true), tooLate]);
  } catch {
    return false;
  } finally {
    answered.abort();
  }
}
