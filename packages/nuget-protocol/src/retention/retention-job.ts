import type { Caller } from "@sealhouse/request-types";
import { runLeasedSteps } from "@sealhouse/jobs";
import type { Job, Leases, OperatorOutcome } from "@sealhouse/jobs";
import { hasRule } from "../settings/parse-retention.ts";
import type { RetentionConfig } from "../settings/parse-retention.ts";
import type { RetentionPorts, RetentionSummary } from "./ports.ts";
import { runRetention } from "./run-retention.ts";
import type { RetentionRun, RetentionStep } from "./run-retention.ts";

/** Dependencies of the retention job. */
export type RetentionParts = {
  readonly ports: RetentionPorts;
  readonly leases: Leases;
  readonly now: () => Date;
};

const MINUTE_MS = 60_000;

/** One run over the whole feed, on one instance at a time. */
export function applyRetention(
  parts: RetentionParts,
  run: Omit<RetentionRun, "now"> & { readonly onStep: (step: RetentionStep) => void },
): Promise<OperatorOutcome<RetentionSummary>> {
  return runLeasedSteps(parts.leases, {
    lease: "retention",
    signal: run.signal,
    start: (signal) => runRetention(parts.ports, { ...run, signal, now: parts.now() }),
    onStep: run.onStep,
  });
}

/** The scheduled run; undefined while retention is disabled. */
export function retentionJob(
  parts: RetentionParts & {
    readonly retention: RetentionConfig;
    /** Named in the events of scheduled runs. */
    readonly caller: Caller;
    readonly log: Readonly<Record<"info" | "warn", (fields: object, message: string) => void>>;
  },
): Job | undefined {
  const { retention, caller, log } = parts;
  const { enabled, rules, dryRun, everyMs } = retention;
  if (!enabled) return undefined;
  if (!hasRule(rules)) {
    log.warn(
      {},
      "Retention__Enabled is true, but no version expires: set " +
        "Retention__MaxPrereleaseVersionsPerPackage or Retention__MaxPrereleaseAgeDays",
    );
    return undefined;
  }
  const onStep = ({ id, version, reason, outcome, neededBy }: RetentionStep) => {
    // What stays is news in a report only.
    if (outcome === "kept" && !dryRun) return;
    const message = outcome === "planned" ? "retention would remove a version" : "retention";
    log.info({ id, version, reason, outcome, neededBy, action: rules.action }, message);
  };
  return {
    name: "retention",
    everyMs,
    firstAfterMs: Math.min(everyMs, 5 * MINUTE_MS),
    async run(signal) {
      const ended = await applyRetention(parts, { rules, dryRun, caller, signal, onStep });
      if (ended.status === "ended") log.info({ ...ended.result }, "retention has ended");
    },
  };
}
