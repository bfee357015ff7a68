import type { Leases } from "./leases.ts";
import { runLeased } from "./run-leased.ts";
import type { LeasedOutcome, LeaseOptions } from "./run-leased.ts";

/** Milliseconds for which a killed run keeps the next one waiting. */
const LEASE_MS = 60_000;

/**
 * Result of work that operators can start: its value, or `busy` while another run has the lease.
 */
export type OperatorOutcome<T> =
  | Extract<LeasedOutcome<T>, { readonly status: "ended" }>
  | BusyOperator;

/** Another run has the lease; nothing was done. */
export type BusyOperator = {
  readonly status: "busy";
  /**
   * The time at which the other run loses the lease if it was killed. A run that continues extends
   * its lease. Undefined when it has just ended.
   */
  readonly heldUntil: Date | undefined;
};

/**
 * Runs work that operators can also start with a command, as `runLeased` does. The lease is short,
 * so that a killed run blocks the next one for at most a minute.
 *
 * @throws LostLeaseError when the work ended because the lease was lost
 */
export async function runOperatorWork<T>(
  leases: Leases,
  { name, signal }: { readonly name: string; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<OperatorOutcome<T>> {
  const options: LeaseOptions = { name, leaseMs: LEASE_MS, ...(signal && { signal }) };
  const outcome = await runLeased(leases, options, work);
  if (outcome.status === "ended") return outcome;
  return { status: "busy", heldUntil: await leases.heldUntil(name) };
}
