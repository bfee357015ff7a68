import type { Leases } from "./leases.ts";
import { runOperatorWork } from "./operator-work.ts";
import type { OperatorOutcome } from "./operator-work.ts";

/** An iterator that runs under the lease of an operator's work. */
export type LeasedSteps<Step, Summary> = {
  /** Name of the lease. */
  readonly lease: string;
  readonly signal: AbortSignal | undefined;
  /** Not called while another instance has the lease. */
  readonly start: (signal: AbortSignal) => AsyncIterator<Step, Summary>;
  readonly onStep: (step: Step) => void;
};

/**
 * Runs an iterator to its end under a lease of `runOperatorWork`, and resolves to the value that it
 * returns.
 */
export function runLeasedSteps<Step, Summary>(
  leases: Leases,
  { lease, signal, start, onStep }: LeasedSteps<Step, Summary>,
): Promise<OperatorOutcome<Summary>> {
  return runOperatorWork(leases, { name: lease, signal }, async (leaseSignal) => {
    const running = start(leaseSignal);
    for (;;) {
      const next = await running.next();
      if (next.done) return next.value;
      onStep(next.value);
    }
  });
}
