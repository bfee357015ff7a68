import { randomUUID } from "node:crypto";
import { runFenced } from "./fence.ts";
import { LEASE_LONGEST_MS, LostLeaseError } from "./leases.ts";
import type { Leases } from "./leases.ts";
import { pause } from "./pause.ts";

/** Name, life and waiting time of a lease. */
export type LeaseOptions = {
  /** The lease's name. Two kinds of work with one name exclude each other. */
  readonly name: string;
  /**
   * Milliseconds for which a failed instance keeps others from the work. The lease is extended
   * every third of it, so work may take longer. Default 10 minutes.
   */
  readonly leaseMs?: number;
  /** Milliseconds to wait for another holder. Default 0: return at once. */
  readonly waitMaxMs?: number;
  /** Whether the result does not wait until the lease is given up. */
  readonly endsEarly?: boolean;
  /** Stops the work, and the waiting. */
  readonly signal?: AbortSignal;
};

/** Result of leased work: its value, or `busy` when another holder has the lease. */
export type LeasedOutcome<T> =
  | { readonly status: "ended"; readonly result: T }
  /** Another holder has the lease; nothing was done. */
  | { readonly status: "busy" };

const LOOK_EVERY_MS = 50;

/**
 * Runs work on one instance at a time. The signal it gets aborts with a `LostLeaseError` as soon as
 * the lease is lost or could not be extended in time; the changes it commits are refused from the
 * moment another holder has the lease (see `currentFence`).
 *
 * @throws LostLeaseError when the work ended because the lease was lost
 */
export async function runLeased<T>(
  leases: Leases,
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<LeasedOutcome<T>> {
  const { name, leaseMs = LEASE_LONGEST_MS, signal } = options;
  const holder = randomUUID();
  const taken = await take(leases, holder, { ...options, leaseMs });
  if (taken === undefined) return { status: "busy" };
  const { token } = taken;
  const renewal = renew(leases, { name, holder, leaseMs, ...taken });
  try {
    const stop = signal ? AbortSignal.any([renewal.lost, signal]) : renewal.lost;
    const result = await runFenced({ lease: name, token }, () => work(stop));
    return { status: "ended", result };
  } catch (error) {
    // The reason for the stop is more important than the errors that followed.
    if (renewal.lost.aborted) throw renewal.lost.reason;
    throw error;
  } finally {
    const released = renewal.stop().then(() => leases.release(name, holder));
    // What cannot be given up expires by itself.
    const ended = released.catch(() => undefined);
    if (!options.endsEarly) await ended;
  }
}

async function take(
  leases: Leases,
  holder: string,
  { name, leaseMs, waitMaxMs = 0, signal }: LeaseOptions & { readonly leaseMs: number },
): Promise<Taken | undefined> {
  const until = performance.now() + waitMaxMs;
  for (;;) {
    const heldUntil = performance.now() + leaseMs;
    const token = await leases.acquire(name, holder, leaseMs);
    if (token !== undefined) return { token, heldUntil };
    if (performance.now() >= until) return undefined;
    await pause(LOOK_EVERY_MS, signal);
    signal?.throwIfAborted();
  }
}

/** A lease counts from the question: the answer may come much later. */
type Taken = {
  readonly token: number;
  /** As `performance.now()` has it. */
  readonly heldUntil: number;
};

type Renewal = {
  /** Aborts when the lease is lost, or may be lost. */
  readonly lost: AbortSignal;
  stop(): Promise<void>;
};

function renew(
  leases: Leases,
  lease: Taken & { readonly name: string; readonly holder: string; readonly leaseMs: number },
): Renewal {
  const { name, holder, token, leaseMs } = lease;
  const lost = new AbortController();
  let { heldUntil } = lease;
  const lose = () => lost.abort(new LostLeaseError(name));
  // An answer that never comes must not keep the work going.
  let expiry: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(expiry);
    expiry = setTimeout(lose, Math.max(0, heldUntil - performance.now())).unref();
  };
  watch();
  let extending: Promise<void> | undefined;
  let isStopped = false;
  const extend = async (): Promise<void> => {
    const startMs = performance.now();
    // A database that is away for a moment takes no lease from us: only time does.
    const got = await leases.acquire(name, holder, leaseMs).catch(() => "unknown" as const);
    if (got === token) heldUntil = startMs + leaseMs;
    else if (got !== "unknown") return lose();
    if (!isStopped) watch();
  };
  const everyMs = leaseMs / 3;
  const timer = setInterval(() => {
    extending ??= extend().finally(() => (extending = undefined));
  }, everyMs);
  timer.unref();
  return {
    lost: lost.signal,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      clearTimeout(expiry);
      await extending;
    },
  };
}
