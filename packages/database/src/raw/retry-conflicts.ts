import { setTimeout as wait } from "node:timers/promises";

/** Each attempt follows a conflict that the server has ended. */
const ATTEMPTS_MAX = 8;
const PAUSE_MS = 5;

/** Repeats a statement or transaction after conflicts with others. */
export async function retryConflicts<T>(
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
