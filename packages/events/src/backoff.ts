const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Milliseconds after each failed attempt: eleven attempts within about 24 hours. */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
] as const;
/** Share of a wait that chance adds or removes, so that retries do not come together. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/** Parts of a retry. */
export type Retry = {
  /** Attempts so far, all of which failed. */
  readonly attempts: number;
  readonly now: Date;
  /** Shortest wait that the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
  /** From 0 to 1. */
  readonly random: () => number;
};

/** Returns the time of the next attempt; undefined after the last one. */
export function nextAttempt({ attempts, now, retryAfterMs = 0, random }: Retry): Date | undefined {
  const waitMs = WAITS_MS[Math.max(attempts, 1) - 1];
  if (waitMs === undefined) return undefined;
  const jittered = waitMs * (1 + JITTER * (2 * random() - 1));
  const askedMs = Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  return new Date(now.getTime() + Math.round(Math.max(jittered, askedMs)));
}
