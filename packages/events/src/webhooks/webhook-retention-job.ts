import type { Job } from "@sealhouse/jobs";
import type { DeliveryQueue, EndedState } from "./ports.ts";

const MINUTE_MS = 60_000;

/** Numbers of ended deliveries of one subscription that stay. */
const NEWEST = { delivered: 1_000, withheld: 1_000, dead: 10_000 } as const satisfies Record<
  EndedState,
  number
>;

/**
 * Deletes deliveries that ended longer than `retentionMs` ago, and of each subscription those
 * beyond the newest 1,000 successful and 10,000 failed ones. Safe on several instances.
 */
export function webhookRetentionJob({
  queue,
  retentionMs,
  now,
}: {
  readonly queue: Pick<DeliveryQueue, "trim" | "trimTo">;
  /** Milliseconds. */
  readonly retentionMs: number;
  readonly now: () => Date;
}): Job {
  const run = async (signal: AbortSignal) => {
    const before = new Date(now().getTime() - retentionMs);
    while (!signal.aborted && (await queue.trim(before)) > 0);
    for (const state of ["delivered", "withheld", "dead"] as const) {
      while (!signal.aborted && (await queue.trimTo(state, NEWEST[state])) > 0);
    }
  };
  const everyMs = 10 * MINUTE_MS;
  return { name: "webhook deliveries", firstAfterMs: 2 * MINUTE_MS, everyMs, run };
}
