import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import type {
  TagRetentionPorts,
  TagRetentionRun,
  TagRetentionStep,
  TagRetentionSummary,
} from "@sealhouse/oci-distribution";
import { runTagRetention } from "@sealhouse/oci-distribution";
import type { Job, LeasedOutcome } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import { hasKeepRule } from "@sealhouse/oci-distribution/settings";
import type { OciTagsConfig } from "@sealhouse/oci-distribution/settings";
import { retentionTimes, runLeasedRetention } from "./leased-retention.ts";

export type TagRetentionParts = {
  readonly database: Pick<Database, "oci" | "events" | "leases">;
  readonly now: () => Date;
};

/** One run over all repositories, on one instance at a time. */
export function applyTagRetention(
  parts: TagRetentionParts,
  run: Omit<TagRetentionRun, "now"> & { readonly onStep: (step: TagRetentionStep) => void },
): Promise<LeasedOutcome<TagRetentionSummary>> {
  const ports = portsOf(parts.database);
  return runLeasedRetention(parts.database.leases, {
    lease: "oci-retention",
    signal: run.signal,
    start: (signal) => runTagRetention(ports, { ...run, signal, now: parts.now() }),
    onStep: run.onStep,
  });
}

/** The scheduled run; undefined when it is off. */
export function tagRetentionJob(
  parts: TagRetentionParts & {
    readonly feed: string;
    readonly ociTags: OciTagsConfig;
    readonly log: Log;
  },
): Job | undefined {
  const { feed, ociTags, log } = parts;
  const { enabled, dryRun, everyMs } = ociTags.retention;
  if (!enabled) return undefined;
  if (!hasKeepRule(ociTags)) {
    log.warn(
      {},
      "Feed__Operations__OciRetention__Enabled is true, but no tag will go: no rule of " +
        "Feed__Oci__TagRules says what to keep",
    );
    return undefined;
  }
  const { rules } = ociTags;
  const onStep = ({ repository, tag, digest, rule, outcome }: TagRetentionStep) => {
    const said = outcome === "planned" ? "retention would delete a tag" : "retention of a tag";
    log.info({ feed, repository, tag, digest, rule, outcome }, said);
  };
  return {
    name: "oci retention",
    ...retentionTimes(everyMs),
    async run(signal) {
      const run = { rules, dryRun, caller: SYSTEM, signal, onStep };
      const ended = await applyTagRetention(parts, run);
      if (ended.status === "ended") log.info({ feed, ...ended.result }, "oci retention has ended");
    },
  };
}

function portsOf({ oci, events }: TagRetentionParts["database"]): TagRetentionPorts {
  return {
    manifests: oci.manifests,
    tags: oci.tags,
    completed: (summary, caller) =>
      events.record([
        { type: "retention.completed", subject: "oci", caller, detail: { ...summary } },
      ]),
  };
}
