import { setTimeout as wait } from "node:timers/promises";

/** Each attempt follows a conflict that the server has ended. */
const ATTEMPTS_MAX = 8;
const PAUSE_MS = 5;

/** Runs a single statement again while the server chose it as the victim of a conflict. */
export async function retryVictim<T>(
  isRetryableConflict: (error: unknown) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === ATTEMPTS_MAX || !isRetryableConflict(error)) throw error;
    }
    await wait(count * PAUSE_MS);
  }
}
