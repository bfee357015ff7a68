import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import { runRetention } from "@sealhouse/nuget-protocol";
import type {
  RetentionPorts,
  RetentionRun,
  RetentionStep,
  RetentionSummary,
} from "@sealhouse/nuget-protocol";
import type { Job, LeasedOutcome } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import { hasRule } from "@sealhouse/nuget-protocol/settings";
import type { RetentionConfig } from "@sealhouse/nuget-protocol/settings";
import { retentionTimes, runLeasedRetention } from "./leased-retention.ts";

export type RetentionParts = {
  readonly database: Pick<Database, "nuget" | "events" | "leases">;
  readonly now: () => Date;
};

/** One run over the whole feed, on one instance at a time. */
export function applyRetention(
  parts: RetentionParts,
  run: Omit<RetentionRun, "now"> & { readonly onStep: (step: RetentionStep) => void },
): Promise<LeasedOutcome<RetentionSummary>> {
  const ports = portsOf(parts.database);
  return runLeasedRetention(parts.database.leases, {
    lease: "retention",
    signal: run.signal,
    start: (signal) => runRetention(ports, { ...run, signal, now: parts.now() }),
    onStep: run.onStep,
  });
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
    ...retentionTimes(everyMs),
    async run(signal) {
      const ended = await applyRetention(parts, { rules, dryRun, caller: SYSTEM, signal, onStep });
      if (ended.status === "ended") log.info({ ...ended.result }, "retention has ended");
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
