/**
 * A lease: a name that one holder has at a time, across instances. A database row in practice, so
 * that the lease and the changes made under it are in one place. Times are the instances' own;
 * leases must be long compared with the difference of their clocks.
 */
export interface Leases {
  /**
   * Takes the lease, or extends it, for `leaseMs`, at most ten minutes. Resolves to its fencing
   * token, which rises with every change of holder, or to undefined while another has the lease.
   */
  acquire(name: string, holder: string, leaseMs: number): Promise<number | undefined>;
  /** Gives the lease up early. Does nothing when another holder has it by now. */
  release(name: string, holder: string): Promise<void>;
  /**
   * Resolves to the time at which the lease expires unless its holder extends it; undefined while
   * it has no holder.
   */
  heldUntil(name: string): Promise<Date | undefined>;
}

/** Milliseconds of the longest lease. */
export const LEASE_LONGEST_MS = 10 * 60_000;
/** Milliseconds by which the clocks of instances may differ. */
const CLOCKS_DIFFER_MAX_MS = 60_000;

/**
 * Returns the latest end that a lease can have now. A later end was written by a clock that was
 * ahead, and holds nothing. Both times are milliseconds.
 */
export function latestLeaseEnd(nowMs: number): number {
  return nowMs + LEASE_LONGEST_MS + CLOCKS_DIFFER_MAX_MS;
}

/** Another holder has taken the lease over: whatever ran under it must stop. */
export class LostLeaseError extends Error {
  override readonly name = "LostLeaseError";
  readonly code = "lease-lost";

  readonly lease: string;

  constructor(lease: string) {
    super(`Stopped: another instance has acquired the lease "${lease}".`);
    this.lease = lease;
  }
}
