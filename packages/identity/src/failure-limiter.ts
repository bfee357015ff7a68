import { BoundedCache } from "@sealhouse/bounded-cache";
import type { CountedNetwork } from "./network.ts";
import type { SignInFailures } from "./ports.ts";

/** Limits of attempts per network. */
export type FailureLimits = {
  /** Number of attempts that are allowed at once. */
  readonly failuresMax: number;
  /** Milliseconds until the full allowance is restored. */
  readonly windowMs: number;
  /** Maximum number of tracked networks; the least recently used one is dropped first. */
  readonly addressesMax: number;
};

/** 30 failures per minute and network, for 10,000 networks. */
export const DEFAULT_FAILURE_LIMITS: FailureLimits = {
  failuresMax: 30,
  windowMs: 60_000,
  addressesMax: 10_000,
};

/** Counts attempts of all networks of a caller, or of another group with its own key. */
export type FailureLimiter = {
  /** Seconds until the next attempt is allowed; undefined when it is allowed now. */
  retryAfterSeconds(networks: readonly CountedNetwork[], now: Date): Promise<number | undefined>;
  failed(networks: readonly CountedNetwork[], now: Date): Promise<void>;
  /**
   * Counts an attempt whatever its outcome. Seconds until it is allowed; undefined when it is
   * allowed now. Concurrent attempts all count, also at other instances.
   */
  take(networks: readonly CountedNetwork[], now: Date): Promise<number | undefined>;
};

/**
 * Creates a leaky bucket of attempts per network: each attempt moves the time at which the bucket
 * is empty. `addressesMax` bounds its memory. With `shared`, attempts at other instances count,
 * too. A network that is limited costs no lookup.
 */
export function createFailureLimiter(
  limits: FailureLimits,
  shared?: SignInFailures,
): FailureLimiter {
  const buckets = createBuckets(limits);
  const ownWait = (networks: readonly CountedNetwork[], now: Date) =>
    longest(networks.map((network) => buckets.waitSeconds(network, now)));

  return {
    async retryAfterSeconds(networks, now) {
      const own = ownWait(networks, now);
      if (own !== undefined || !shared) return own;
      const times = await Promise.all(networks.map(({ key }) => shared.emptyAt(key)));
      for (const [index, { key }] of networks.entries()) buckets.learn(key, times[index] ?? 0);
      return ownWait(networks, now);
    },
    async failed(networks, now) {
      for (const network of networks) buckets.add(network, now);
      await addAll(shared, networks, { now, buckets });
    },
    async take(networks, now) {
      const own = ownWait(networks, now);
      if (own !== undefined) return own;
      for (const network of networks) buckets.add(network, now);
      const full = await addAll(shared, networks, { now, buckets });
      for (const network of full) buckets.fill(network, now);
      return full.length > 0 ? ownWait(full, now) : undefined;
    },
  };
}

/** Counts work by network, in this process. */
export type WorkLimiter = {
  /**
   * Counts work of a cost while the networks have some of their allowance left. Returns the seconds
   * until they have; undefined when the work is allowed. A cost of 0 asks without counting.
   */
  take(networks: readonly CountedNetwork[], now: Date, cost: number): number | undefined;
};

/** Creates a leaky bucket of costs per network. `failuresMax`: the cost allowed at once. */
export function createWorkLimiter(limits: FailureLimits): WorkLimiter {
  const buckets = createBuckets(limits);
  return {
    take(networks, now, cost) {
      const wait = longest(networks.map((network) => buckets.waitSeconds(network, now)));
      if (wait !== undefined || cost === 0) return wait;
      for (const network of networks) buckets.add(network, now, cost);
      return undefined;
    },
  };
}

type Adding = { readonly now: Date; readonly buckets: Buckets };

/** Returns the networks whose shared bucket is full. */
async function addAll(
  shared: SignInFailures | undefined,
  networks: readonly CountedNetwork[],
  { now, buckets }: Adding,
): Promise<readonly CountedNetwork[]> {
  const full: CountedNetwork[] = [];
  if (!shared) return full;
  for (const network of networks) {
    const { stepMs, windowMs } = buckets.sizeOf(network);
    const added = await shared.add(network.key, { now: now.getTime(), stepMs, windowMs });
    if (added === "full") full.push(network);
  }
  return full;
}

type Buckets = ReturnType<typeof createBuckets>;

function createBuckets({ failuresMax, windowMs, addressesMax }: FailureLimits) {
  /** When the bucket of a network is empty, in milliseconds since 1970. */
  const emptyAt = new BoundedCache<string, number>({ entries: addressesMax });
  const sizeOf = ({ share }: CountedNetwork) => ({
    stepMs: Math.max(1, Math.floor(windowMs / (failuresMax * share))),
    windowMs,
  });
  // The clock of another instance must not limit a network for longer. A time that no clock near
  // `now` can have written counts nothing.
  const emptyAfterMs = ({ key }: CountedNetwork, now: Date) => {
    const leftMs = (emptyAt.get(key) ?? 0) - now.getTime();
    return leftMs > 2 * windowMs ? 0 : Math.min(windowMs, Math.max(0, leftMs));
  };
  return {
    sizeOf,
    waitSeconds(network: CountedNetwork, now: Date): number | undefined {
      const surplusMs = emptyAfterMs(network, now) + sizeOf(network).stepMs - windowMs;
      return surplusMs <= 0 ? undefined : Math.max(1, Math.ceil(surplusMs / 1_000));
    },
    add(network: CountedNetwork, now: Date, count = 1): void {
      const afterMs = emptyAfterMs(network, now) + sizeOf(network).stepMs * count;
      emptyAt.set(network.key, now.getTime() + Math.min(windowMs, afterMs));
    },
    fill: ({ key }: CountedNetwork, now: Date) => emptyAt.set(key, now.getTime() + windowMs),
    learn(key: string, time: number): void {
      if (time > (emptyAt.get(key) ?? 0)) emptyAt.set(key, time);
    },
  };
}

function longest(waits: readonly (number | undefined)[]): number | undefined {
  const seconds = waits.filter((wait) => wait !== undefined);
  return seconds.length > 0 ? Math.max(...seconds) : undefined;
}
