import type { Leases, LeasedOutcome } from "@sealhouse/jobs";
import { runLeased } from "@sealhouse/jobs";

type LeasedRetention<Step, Summary> = {
  /** What the lease is called. */
  readonly lease: string;
  readonly signal: AbortSignal | undefined;
  /** Not called where another instance is at it. */
  readonly start: (signal: AbortSignal) => AsyncIterator<Step, Summary>;
  readonly onStep: (step: Step) => void;
};

const MINUTE_MS = 60_000;

/** Goes through one run to its end, on one instance at a time. */
export function runLeasedRetention<Step, Summary>(
  leases: Leases,
  { lease, signal, start, onStep }: LeasedRetention<Step, Summary>,
): Promise<LeasedOutcome<Summary>> {
  return runLeased(leases, { name: lease, ...(signal && { signal }) }, async (held) => {
    const running = start(held);
    for (;;) {
      const next = await running.next();
      if (next.done) return next.value;
      onStep(next.value);
    }
  });
}

/** How often it runs, and soon after a start. */
export function retentionTimes(everyMs: number): {
  readonly everyMs: number;
  readonly firstAfterMs: number;
} {
  return { everyMs, firstAfterMs: Math.min(everyMs, 5 * MINUTE_MS) };
}
