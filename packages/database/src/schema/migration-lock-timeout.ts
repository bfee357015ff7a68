import { DatabaseUnavailableError } from "../errors.ts";

/** Longest wait for another process that migrates. */
export const LOCK_WAIT_MAX_MS = 10 * 60_000;

export function lockedTooLong(): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `Another process has been migrating this database for ${LOCK_WAIT_MAX_MS / 60_000} minutes. ` +
      `Wait for it, or end its database session, and start again.`,
  );
}
