// Errors of the driver, as lookups and migrations handle them. Does not load the driver.

/** Unique constraint, unique index. */
const UNIQUE_VIOLATION = new Set([2627, 2601]);
/** Deadlock, lock timeout, conflict of row versions. */
const VICTIM = new Set([1205, 1222, 3960]);

/** The number under which SQL Server lists an error; 0 for errors of the driver. */
export function numberOfError(error: unknown): number {
  const number: unknown = Object(error)["number"];
  return typeof number === "number" ? number : 0;
}

/** Whether the server gave up this transaction for the sake of another. */
export function isRetryableConflict(error: unknown): boolean {
  return VICTIM.has(numberOfError(error));
}

export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATION.has(numberOfError(error));
}

/** Whether the driver gave up waiting for an answer. */
export function isUnanswered(error: unknown): boolean {
  return Object(error)["code"] === "ETIMEOUT";
}

/** The error that decides, where the server reports several for one request. */
export function decisiveError(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return error;
  const errors: readonly unknown[] = error.errors;
  const known = errors.find((one) => isUniqueViolation(one) || isRetryableConflict(one));
  return known ?? errors[0] ?? error;
}
