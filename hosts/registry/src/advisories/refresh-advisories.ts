import type { Database } from "@sealhouse/database";
import type { AdvisorySource } from "@sealhouse/nuget-protocol";
import { LostLeaseError, runLeased } from "@sealhouse/jobs";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { AdvisorySourceConfig, VulnerabilitiesConfig } from "../settings/vulnerabilities.ts";
import { AdvisorySourceError } from "./source-error.ts";
import { parseState } from "./source-state.ts";

export type RefreshParts = {
  readonly database: Pick<Database, "leases" | "nuget" | "npm">;
  readonly vulnerabilities: VulnerabilitiesConfig;
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly now: () => Date;
};

const LEASE = "vulnerabilities";
const FIRST_AFTER_MS = 10_000;
/** How soon a source that could not be read is tried again. */
const RETRY_MS = 15 * 60_000;

/** Looks often, and reads what is due: on one of the instances, and not again after a restart. */
export function refreshJob(parts: RefreshParts): Job {
  return {
    name: "vulnerabilities",
    firstAfterMs: FIRST_AFTER_MS,
    everyMs: Math.min(parts.vulnerabilities.refreshIntervalMs, RETRY_MS),
    run: (signal) => refreshAdvisories(parts, signal),
  };
}

/** Reads every source of the settings that is due, and forgets those that left the settings. */
export async function refreshAdvisories(parts: RefreshParts, signal: AbortSignal): Promise<void> {
  const { leases } = parts.database;
  if (isNothing(await planRefresh(parts))) return;
  await runLeased(leases, { name: LEASE, signal }, async (held) => {
    // Another instance may have done it in between.
    const { due, left } = await planRefresh(parts);
    for (const { name } of left) {
      held.throwIfAborted();
      const { advisoryRecorders, removeSource } = await import("./import-advisories.ts");
      await removeSource(advisoryRecorders(parts.database), name);
      parts.log.info({ source: name }, "removed advisory source: no longer configured");
    }
    for (const source of due) {
      held.throwIfAborted();
      await refreshOne(parts, source, held);
    }
  });
}

type RefreshPlan = {
  readonly due: readonly AdvisorySourceConfig[];
  /** Sources that left the settings. */
  readonly left: readonly AdvisorySource[];
};

async function planRefresh(parts: RefreshParts): Promise<RefreshPlan> {
  const known = await parts.database.nuget.advisories.sources();
  const { sources } = parts.vulnerabilities;
  const isConfigured = (name: string) => sources.some((source) => source.name === name);
  return {
    due: sources.filter((source) =>
      isDue(
        parts,
        source,
        known.find(({ name }) => name === source.name),
      ),
    ),
    left: known.filter((source) => !isConfigured(source.name) && isOfSettings(source)),
  };
}

function isNothing({ due, left }: RefreshPlan): boolean {
  return due.length === 0 && left.length === 0;
}

/** One source that fails does not keep the others from being read. */
async function refreshOne(
  { database, fetch, log }: RefreshParts,
  source: AdvisorySourceConfig,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Only needed where there are sources.
    const { advisoryRecorders, importAdvisories } = await import("./import-advisories.ts");
    const recorders = advisoryRecorders(database);
    const report = await importAdvisories(source, { recorders, fetch, signal });
    if (report.status === "unchanged") {
      log.debug({ source: source.name }, "the advisories have not changed");
      return;
    }
    log.info({ ...report, skipped: report.skipped.count }, "imported advisories");
    if (report.skipped.count > 0) {
      log.warn({ source: source.name, ...report.skipped }, "some advisories could not be read");
    }
  } catch (error) {
    if (error instanceof LostLeaseError) throw error;
    if (signal.aborted) return;
    const known = error instanceof AdvisorySourceError;
    log.warn(
      { source: source.name, ...(known ? { reason: error.message } : { err: error }) },
      "a source of advisories could not be read; it is tried again later",
    );
  }
}

function isDue(
  { vulnerabilities, now }: RefreshParts,
  { location }: AdvisorySourceConfig,
  known: AdvisorySource | undefined,
): boolean {
  if (!known || parseState(known.state)?.location !== location) return true;
  return now().getTime() - known.checkedAt.getTime() >= vulnerabilities.refreshIntervalMs;
}

function isOfSettings({ state }: AdvisorySource): boolean {
  return parseState(state)?.isByHand !== true;
}
