import type { Leases } from "./leases.ts";
import { runLeased } from "./run-leased.ts";
import type { LeasedOutcome } from "./run-leased.ts";

/** An iterator that runs under a lease. */
export type LeasedSteps<Step, Summary> = {
  /** Name of the lease. */
  readonly lease: string;
  readonly signal: AbortSignal | undefined;
  /** Not called while another instance has the lease. */
  readonly start: (signal: AbortSignal) => AsyncIterator<Step, Summary>;
  readonly onStep: (step: Step) => void;
};

/** Runs an iterator to its end under a lease, and resolves to the value that it returns. */
export function runLeasedSteps<Step, Summary>(
  leases: Leases,
  { lease, signal, start, onStep }: LeasedSteps<Step, Summary>,
): Promise<LeasedOutcome<Summary>> {
  return runLeased(leases, { name: lease, ...(signal && { signal }) }, async (leaseSignal) => {
    const running = start(leaseSignal);
    for (;;) {
      const next = await running.next();
      if (next.done) return next.value;
      onStep(next.value);
    }
  });
}
