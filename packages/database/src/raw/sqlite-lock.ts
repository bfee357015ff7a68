import { setTimeout as wait } from "node:timers/promises";
import { unavailabilityOf } from "./unavailable.ts";

/** Milliseconds that a write waits for another process, such as a command. */
export const LOCK_TIMEOUT_MS = 10_000;

/** As SQLite itself waits; the last one repeats. */
const PAUSES_MS = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50];
/** After this many milliseconds without an attempt, the wait starts again. */
const FORGET_AFTER_MS = 1_000;

/** Repeats `attempt` while another process holds the lock that it needs. */
export type WhenUnlocked = <T>(attempt: () => T) => Promise<T>;

/**
 * SQLite waits for a lock inside the call and blocks the event loop. This waits asynchronously. The
 * time starts when the lock is first met, so that no queued write waits longer than `timeoutMs`.
 * Then the error for a busy database is thrown.
 */
export function createLockWait(timeoutMs = LOCK_TIMEOUT_MS): WhenUnlocked {
  let lockedSince = 0;
  let lastMet = -Infinity;
  return async (attempt) => {
    for (let count = 0; ; count += 1) {
      try {
        const result = attempt();
        lastMet = -Infinity;
        return result;
      } catch (error) {
        const now = performance.now();
        if (unavailabilityOf(error) !== "database-busy") throw error;
        if (now - lastMet > FORGET_AFTER_MS) lockedSince = now;
        lastMet = now;
        if (now - lockedSince >= timeoutMs) throw error;
      }
      await wait(PAUSES_MS[Math.min(count, PAUSES_MS.length - 1)]);
    }
  };
}
