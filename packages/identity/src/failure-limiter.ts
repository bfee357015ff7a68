import type { SignInFailures } from "./ports.ts";

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
  retryAfterSeconds(address: string, now: Date): Promise<number | undefined>;
  failed(address: string, now: Date): Promise<void>;
};

/**
 * Creates a leaky bucket of failures per address: each failure moves the time at which the bucket
 * is empty. `addressesMax` bounds its memory. With `shared`, failures at other instances count,
 * too. An address that is limited costs no lookup.
 */
export function createFailureLimiter(
  limits: FailureLimits,
  shared?: SignInFailures,
): FailureLimiter {
  const { failuresMax, windowMs, addressesMax } = limits;
  const stepMs = Math.max(1, Math.floor(windowMs / failuresMax));
  /** When the bucket of an address is empty, in milliseconds since 1970. */
  const emptyAt = new Map<string, number>();
  // A clock that was set back, or that of another instance, must not limit an address for longer.
  const emptyAfterMs = (address: string, now: Date) =>
    Math.min(windowMs, Math.max(0, (emptyAt.get(address) ?? 0) - now.getTime()));
  const waitSeconds = (address: string, now: Date) => {
    const surplusMs = emptyAfterMs(address, now) + stepMs - windowMs;
    return surplusMs <= 0 ? undefined : Math.max(1, Math.ceil(surplusMs / 1_000));
  };
  const remember = (address: string, time: number) => {
    emptyAt.delete(address);
    emptyAt.set(address, time);
    if (emptyAt.size <= addressesMax) return;
    const [oldest] = emptyAt.keys();
    if (oldest !== undefined) emptyAt.delete(oldest);
  };

  return {
    async retryAfterSeconds(address, now) {
      const own = waitSeconds(address, now);
      if (own !== undefined || !shared) return own;
      const time = await shared.emptyAt(address);
      if (time === undefined || time <= (emptyAt.get(address) ?? 0)) return undefined;
      remember(address, time);
      return waitSeconds(address, now);
    },
    async failed(address, now) {
      const afterMs = Math.min(windowMs, emptyAfterMs(address, now) + stepMs);
      remember(address, now.getTime() + afterMs);
      await shared?.add(address, { now: now.getTime(), stepMs, windowMs });
    },
  };
}
