import { runLeased } from "@sealhouse/jobs";
import type { Job, Leases } from "@sealhouse/jobs";
import type { Protocol } from "@sealhouse/request-types";
import type { History } from "./history-log.ts";

const FIRST_AFTER_MS = 10_000;
const EVERY_MS = 24 * 60 * 60_000;
const PROTOCOLS: readonly Protocol[] = ["nuget", "npm", "oci"];

/**
 * Brings the history up to date after the start and once a day: during a rolling update, instances
 * of an older release change the state without it. One instance works at a time.
 */
export function historyJob(parts: {
  readonly history: Pick<History, "reconcile">;
  readonly leases: Leases;
  readonly log: { info(fields: object, message: string): void };
}): Job {
  const { history, leases, log } = parts;
  const run = async (signal: AbortSignal) => {
    await runLeased(leases, { name: "history", signal }, async (leaseSignal) => {
      for (const protocol of PROTOCOLS) {
        const intervals = await history.reconcile(protocol, leaseSignal);
        if (intervals > 0) log.info({ protocol, intervals }, "brought the history up to date");
      }
    });
  };
  return { name: "history", firstAfterMs: FIRST_AFTER_MS, everyMs: EVERY_MS, run };
}
