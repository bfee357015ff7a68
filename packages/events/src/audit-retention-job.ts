import type { Job } from "@sealhouse/jobs";
import type { AuditLog } from "./ports.ts";

const MINUTE_MS = 60_000;

/** Deletes audit records older than `retentionMs` every hour. Safe on several instances at once. */
export function auditRetentionJob(parts: {
  readonly audit: Pick<AuditLog, "trim">;
  /** Milliseconds. */
  readonly retentionMs: number;
  readonly log: { info(fields: object, message: string): void };
  readonly now: () => Date;
}): Job {
  const { audit, retentionMs, log, now } = parts;
  const run = async (signal: AbortSignal) => {
    const before = new Date(now().getTime() - retentionMs);
    let deleted = 0;
    while (!signal.aborted) {
      const count = await audit.trim(before);
      if (count === 0) break;
      deleted += count;
    }
    if (deleted > 0) log.info({ deleted, before }, "deleted old audit records");
  };
  return { name: "audit retention", firstAfterMs: MINUTE_MS, everyMs: 60 * MINUTE_MS, run };
}
