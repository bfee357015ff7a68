import type { Job } from "@sealhouse/jobs";
import type { DeliveryQueue } from "./ports.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Deletes deliveries that ended longer than `retentionMs` ago. Safe on several instances. */
export function webhookRetentionJob({
  queue,
  retentionMs,
  now,
}: {
  readonly queue: Pick<DeliveryQueue, "trim">;
  /** Milliseconds. */
  readonly retentionMs: number;
  readonly now: () => Date;
}): Job {
  const run = async (signal: AbortSignal) => {
    const before = new Date(now().getTime() - retentionMs);
    while (!signal.aborted && (await queue.trim(before)) > 0);
  };
  return { name: "webhook deliveries", firstAfterMs: HOUR_MS / 30, everyMs: HOUR_MS, run };
}
