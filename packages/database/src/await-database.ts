import { setTimeout as wait } from "node:timers/promises";
import { DatabaseUnavailableError } from "./errors.ts";
import type { DatabaseUnavailability } from "./errors.ts";

/**
 * Errors that may disappear without an operator. A refused connection points to a wrong setting.
 */
const PASSING: ReadonlySet<DatabaseUnavailability> = new Set([
  "database-unreachable",
  "database-starting",
  "database-overloaded",
  "database-busy",
]);
const PAUSE_MS = 1_000;

/** Patience of a start with its database. */
export type DatabasePatience = {
  /** Milliseconds from the first attempt. */
  readonly timeoutMs: number;
  readonly log: { warn(fields: object, message: string): void };
  /** Ends the waiting. */
  readonly stop?: AbortSignal | undefined;
};

/** Opens the database as soon as it answers: hosts and databases are often started together. */
export async function awaitDatabase<T>(
  open: () => Promise<T>,
  { timeoutMs, log, stop }: DatabasePatience,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isUnavailable(error) || !PASSING.has(error.code)) throw error;
      const leftMs = timeoutMs - (performance.now() - startedAt);
      if (stop?.aborted) throw stopped(error);
      if (leftMs <= 0) throw gaveUp(error, timeoutMs);
      const leftSeconds = Math.ceil(leftMs / 1_000);
      log.warn({ why: error.message, leftSeconds }, "waiting for the database; will retry");
      await wait(Math.min(PAUSE_MS, leftMs), undefined, stop && { signal: stop }).catch(() => {});
    }
  }
}

function isUnavailable(error: unknown): error is DatabaseUnavailableError {
  return error instanceof DatabaseUnavailableError;
}

function stopped({ message, code }: DatabaseUnavailableError): DatabaseUnavailableError {
  return new DatabaseUnavailableError(`${message} The host was stopped while it waited for it.`, {
    code,
  });
}

function gaveUp(error: DatabaseUnavailableError, timeoutMs: number): DatabaseUnavailableError {
  if (timeoutMs === 0) return error;
  const advice =
    `The host waited ${timeoutMs / 1_000} seconds for it (Database__StartTimeout). ` +
    "Start the database, or correct Database__ConnectionString.";
  return new DatabaseUnavailableError(`${error.message} ${advice}`, {
    code: error.code,
    cause: error,
  });
}
