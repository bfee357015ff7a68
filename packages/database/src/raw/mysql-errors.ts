// Errors of the driver, as lookups and MikroORM handle them. Does not load the driver.

/**
 * Longer than any statement. A server that does not answer in time is unreachable, and its
 * connection is closed.
 */
export const MYSQL_ANSWER_TIMEOUT_MS = 35_000;

const UNIQUE_VIOLATION = 1062;
/**
 * Record changed since last read (MariaDB), lock wait timeout, deadlock. 1467 is a deadlock about
 * the lock of a table's next number, which InnoDB reports as "failed to read auto-increment value".
 */
const VICTIM = new Set([1020, 1205, 1213, 1467]);

/** The number under which MySQL and MariaDB list an error. */
export function errnoOf(error: unknown): number {
  const errno: unknown = Object(error)["errno"];
  return typeof errno === "number" ? errno : 0;
}

/** Whether the server gave up this transaction for the sake of another. */
export function isRetryableConflict(error: unknown): boolean {
  return VICTIM.has(errnoOf(error));
}

export function isUniqueViolation(error: unknown): boolean {
  return errnoOf(error) === UNIQUE_VIOLATION;
}

export function isUnanswered(error: unknown): boolean {
  return Object(error)["code"] === "PROTOCOL_SEQUENCE_TIMEOUT";
}
