const FAILURES_MAX = 5;
const FAILURES_WITHIN_MS = 30_000;
const OPEN_MS = 10_000;
const OPEN_MAX_MS = 5 * 60_000;

/** Stops calls to a source that keeps failing. */
export type Breaker = {
  /** Milliseconds until the next call; 0 when calls are allowed. */
  openForMs(): number;
  succeeded(): void;
  failed(): void;
};

/**
 * Creates a breaker that opens after 5 failures within 30 seconds: for 10 seconds, then twice as
 * long each time, up to 5 minutes. One call is allowed after each pause; its failure opens the
 * breaker again.
 */
export function createBreaker(now: () => number): Breaker {
  let failures: readonly number[] = [];
  let openUntil = 0;
  let pauseMs = OPEN_MS;
  let isOnTrial = false;
  const open = (ms: number) => {
    openUntil = now() + ms;
    failures = [];
    isOnTrial = true;
  };
  return {
    openForMs: () => Math.max(0, openUntil - now()),
    succeeded() {
      failures = [];
      pauseMs = OPEN_MS;
      isOnTrial = false;
    },
    failed() {
      const since = now() - FAILURES_WITHIN_MS;
      failures = [...failures.filter((time) => time > since), now()];
      if (!isOnTrial && failures.length < FAILURES_MAX) return;
      open(pauseMs);
      pauseMs = Math.min(pauseMs * 2, OPEN_MAX_MS);
    },
  };
}
