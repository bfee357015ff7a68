export type FailureLimits = {
  /** So many failures at once are let pass. */
  readonly failuresMax: number;
  /** A full allowance grows back in this time. */
  readonly windowMs: number;
  /** So many addresses are remembered; the one that failed longest ago is forgotten first. */
  readonly addressesMax: number;
};

export const DEFAULT_FAILURE_LIMITS: FailureLimits = {
  failuresMax: 30,
  windowMs: 60_000,
  addressesMax: 10_000,
};

export type FailureLimiter = {
  /** Whole seconds until the next attempt is let pass; undefined = now. */
  retryAfterSeconds(address: string, now: Date): number | undefined;
  failed(address: string, now: Date): void;
};

type Bucket = { readonly failures: number; readonly at: number };

/** A leaky bucket of failures per address. Memory is bounded by `addressesMax`. */
export function createFailureLimiter(limits: FailureLimits): FailureLimiter {
  const { failuresMax, windowMs, addressesMax } = limits;
  const buckets = new Map<string, Bucket>();
  const failuresAt = (address: string, now: Date) => {
    const bucket = buckets.get(address);
    if (!bucket) return 0;
    const leaked = ((now.getTime() - bucket.at) * failuresMax) / windowMs;
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
      buckets.set(address, { failures, at: now.getTime() });
      if (buckets.size <= addressesMax) return;
      const [oldest] = buckets.keys();
      if (oldest !== undefined) buckets.delete(oldest);
    },
  };
}
