/** Limits of failed attempts per network address. */
export type FailureLimits = {
  /** Number of failures that are allowed at once. */
  readonly failuresMax: number;
  /** Milliseconds until the full allowance is restored. */
  readonly windowMs: number;
  /** Maximum number of tracked addresses; the least recently failed one is dropped first. */
  readonly addressesMax: number;
};

/** 30 failures per minute and address, for 10,000 addresses. */
export const DEFAULT_FAILURE_LIMITS: FailureLimits = {
  failuresMax: 30,
  windowMs: 60_000,
  addressesMax: 10_000,
};

export type FailureLimiter = {
  /** Seconds until the next attempt is allowed; undefined when it is allowed now. */
  retryAfterSeconds(address: string, now: Date): number | undefined;
  failed(address: string, now: Date): void;
};

type Bucket = { readonly failures: number; readonly timeMs: number };

/** Creates a leaky bucket of failures per address. `addressesMax` bounds its memory. */
export function createFailureLimiter(limits: FailureLimits): FailureLimiter {
  const { failuresMax, windowMs, addressesMax } = limits;
  const buckets = new Map<string, Bucket>();
  const failuresAt = (address: string, now: Date) => {
    const bucket = buckets.get(address);
    if (!bucket) return 0;
    const leaked = ((now.getTime() - bucket.timeMs) * failuresMax) / windowMs;
    return Math.max(0, bucket.failures - Math.max(0, leaked));
  };

  return {
    retryAfterSeconds(address, now) {
      const surplus = failuresAt(address, now) + 1 - failuresMax;
      if (surplus <= 0) return undefined;
      return Math.max(1, Math.ceil((surplus * windowMs) / failuresMax / 1_000));
    },
    failed(address, now) {
      const failures = Math.min(failuresAt(address, now) + 1, failuresMax);
      buckets.delete(address);
      buckets.set(address, { failures, timeMs: now.getTime() });
      if (buckets.size <= addressesMax) return;
      const [oldest] = buckets.keys();
      if (oldest !== undefined) buckets.delete(oldest);
    },
  };
}
