import type { Caller } from "@sealhouse/request-types";
import { runLeasedSteps } from "@sealhouse/jobs";
import type { Job, Leases, OperatorOutcome } from "@sealhouse/jobs";
import { runTagRetention } from "./run-retention.ts";
import type {
  TagRetentionPorts,
  TagRetentionRun,
  TagRetentionStep,
  TagRetentionSummary,
} from "./run-retention.ts";
import { hasKeepRule } from "../settings/parse-tags.ts";
import type { OciTagsConfig } from "../settings/parse-tags.ts";

/** The ports of tag retention. */
export type TagRetentionParts = {
  readonly ports: TagRetentionPorts;
  readonly leases: Leases;
  readonly now: () => Date;
};

const MINUTE_MS = 60_000;

/** Runs tag retention over all repositories, on one instance at a time. */
export function applyTagRetention(
  parts: TagRetentionParts,
  run: Omit<TagRetentionRun, "now"> & { readonly onStep: (step: TagRetentionStep) => void },
): Promise<OperatorOutcome<TagRetentionSummary>> {
  return runLeasedSteps(parts.leases, {
    lease: "oci-retention",
    signal: run.signal,
    start: (signal) => runTagRetention(parts.ports, { ...run, signal, now: parts.now() }),
    onStep: run.onStep,
  });
}

/** The scheduled run; undefined while retention is disabled. */
export function tagRetentionJob(
  parts: TagRetentionParts & {
    readonly feed: string;
    readonly ociTags: OciTagsConfig;
    /** Named in the events of scheduled runs. */
    readonly caller: Caller;
    readonly log: Readonly<Record<"info" | "warn", (fields: object, message: string) => void>>;
  },
): Job | undefined {
  const { feed, ociTags, caller, log } = parts;
  const { enabled, dryRun, everyMs } = ociTags.retention;
  if (!enabled) return undefined;
  if (!hasKeepRule(ociTags)) {
    log.warn(
      {},
      "Feed__Operations__OciRetention__Enabled is true, but no tag expires: no rule of " +
        "Feed__Oci__TagRules has KeepNewest, KeepPushedWithin or KeepPulledWithin",
    );
    return undefined;
  }
  const { rules } = ociTags;
  const onStep = ({ repository, tag, digest, rule, outcome }: TagRetentionStep) => {
    const message = outcome === "planned" ? "retention would delete a tag" : "retention of a tag";
    log.info({ feed, repository, tag, digest, rule, outcome }, message);
  };
  return {
    name: "oci retention",
    everyMs,
    firstAfterMs: Math.min(everyMs, 5 * MINUTE_MS),
    async run(signal) {
      const run = { rules, dryRun, caller, signal, onStep };
      const ended = await applyTagRetention(parts, run);
      if (ended.status === "ended") log.info({ feed, ...ended.result }, "oci retention has ended");
    },
  };
}
