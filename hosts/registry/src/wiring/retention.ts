import { randomUUID } from "node:crypto";
import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import { runRetention } from "@sealhouse/nuget-protocol";
import type {
  RetentionPorts,
  RetentionRun,
  RetentionStep,
  RetentionSummary,
} from "@sealhouse/nuget-protocol";
import type { Job } from "../jobs/schedule.ts";
import type { Log } from "../log.ts";
import { hasRule } from "../settings/retention.ts";
import type { RetentionConfig } from "../settings/retention.ts";

export type RetentionParts = {
  readonly database: Pick<Database, "nuget" | "events" | "leases">;
  readonly now: () => Date;
};

export type RetentionEnd =
  | { readonly status: "ended"; readonly summary: RetentionSummary }
  /** Another instance is at it. */
  | { readonly status: "busy" };

const MINUTE_MS = 60_000;
const LEASE = "retention";
const LEASE_MS = 30 * MINUTE_MS;
/** Well before the lease runs out, however long one version takes. */
const RENEW_AFTER_MS = LEASE_MS / 3;

/** One run over the whole feed, on one instance at a time. */
export async function applyRetention(
  { database, now }: RetentionParts,
  run: Omit<RetentionRun, "now"> & { readonly onStep: (step: RetentionStep) => void },
): Promise<RetentionEnd> {
  const { leases } = database;
  const holder = randomUUID();
  if ((await leases.acquire(LEASE, holder, LEASE_MS)) === undefined) return { status: "busy" };
  try {
    const running = runRetention(portsOf(database), { ...run, now: now() });
    let heldAt = now().getTime();
    for (;;) {
      const next = await running.next();
      if (next.done) return { status: "ended", summary: next.value };
      run.onStep(next.value);
      if (now().getTime() - heldAt < RENEW_AFTER_MS) continue;
      if ((await leases.acquire(LEASE, holder, LEASE_MS)) === undefined) {
        throw new Error("Retention stopped, because another instance took it over.");
      }
      heldAt = now().getTime();
    }
  } finally {
    await leases.release(LEASE, holder);
  }
}

/** The scheduled run; undefined when retention is off. */
export function retentionJob(
  parts: RetentionParts & { readonly retention: RetentionConfig; readonly log: Log },
): Job | undefined {
  const { retention, log } = parts;
  const { enabled, rules, dryRun, everyMs } = retention;
  if (!enabled) return undefined;
  if (!hasRule(rules)) {
    log.warn(
      {},
      "Retention__Enabled is true, but nothing will go: set " +
        "Retention__MaxPrereleaseVersionsPerPackage or Retention__MaxPrereleaseAgeDays",
    );
    return undefined;
  }
  const onStep = ({ id, version, reason, outcome }: RetentionStep) => {
    const said = outcome === "planned" ? "retention would remove a version" : "retention";
    log.info({ id, version, reason, outcome, action: rules.action }, said);
  };
  return {
    name: "retention",
    everyMs,
    firstAfterMs: Math.min(everyMs, 5 * MINUTE_MS),
    async run(signal) {
      const ended = await applyRetention(parts, { rules, dryRun, caller: SYSTEM, signal, onStep });
      if (ended.status === "ended") log.info({ ...ended.summary }, "retention has ended");
    },
  };
}

function portsOf({ nuget, events }: RetentionParts["database"]): RetentionPorts {
  return {
    packages: nuget.retention,
    lifecycle: nuget.lifecycle,
    recorder: nuget.recorder,
    completed: (summary, caller) =>
      events.record([
        { type: "retention.completed", subject: "nuget", caller, detail: { ...summary } },
      ]),
  };
}
