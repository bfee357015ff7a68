import { randomUUID } from "node:crypto";
import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import type {
  TagRetentionPorts,
  TagRetentionRun,
  TagRetentionStep,
  TagRetentionSummary,
} from "@sealhouse/oci-distribution";
import { runTagRetention } from "@sealhouse/oci-distribution";
import type { Job } from "../jobs/schedule.ts";
import type { Log } from "../log.ts";
import { hasKeepRule } from "../settings/oci-tags.ts";
import type { OciTagsConfig } from "../settings/oci-tags.ts";

export type TagRetentionParts = {
  readonly database: Pick<Database, "oci" | "events" | "leases">;
  readonly now: () => Date;
};

export type TagRetentionEnd =
  | { readonly status: "ended"; readonly summary: TagRetentionSummary }
  /** Another instance is at it. */
  | { readonly status: "busy" };

const MINUTE_MS = 60_000;
const LEASE = "oci-retention";
const LEASE_MS = 30 * MINUTE_MS;
/** Well before the lease runs out, however long one tag takes. */
const RENEW_AFTER_MS = LEASE_MS / 3;

/** One run over all repositories, on one instance at a time. */
export async function applyTagRetention(
  { database, now }: TagRetentionParts,
  run: Omit<TagRetentionRun, "now"> & { readonly onStep: (step: TagRetentionStep) => void },
): Promise<TagRetentionEnd> {
  const { leases } = database;
  const holder = randomUUID();
  if ((await leases.acquire(LEASE, holder, LEASE_MS)) === undefined) return { status: "busy" };
  try {
    const running = runTagRetention(portsOf(database), { ...run, now: now() });
    let heldAt = now().getTime();
    for (;;) {
      const next = await running.next();
      if (next.done) return { status: "ended", summary: next.value };
      run.onStep(next.value);
      if (now().getTime() - heldAt < RENEW_AFTER_MS) continue;
      if ((await leases.acquire(LEASE, holder, LEASE_MS)) === undefined) {
        throw new Error("Retention of tags stopped, because another instance took it over.");
      }
      heldAt = now().getTime();
    }
  } finally {
    await leases.release(LEASE, holder);
  }
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
    everyMs,
    firstAfterMs: Math.min(everyMs, 5 * MINUTE_MS),
    async run(signal) {
      const run = { rules, dryRun, caller: SYSTEM, signal, onStep };
      const ended = await applyTagRetention(parts, run);
      if (ended.status === "ended") log.info({ feed, ...ended.summary }, "oci retention has ended");
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
