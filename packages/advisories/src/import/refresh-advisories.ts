import { LostLeaseError, runLeased } from "@sealhouse/jobs";
import type { Job, Leases } from "@sealhouse/jobs";
import { AdvisorySourceError } from "../errors.ts";
import type { AdvisoryReaders, AdvisoryRecorders, AdvisorySourceLocation } from "../ports.ts";
import { removeAbandonedFolders } from "../sources/temporary-folder.ts";
import type { AdvisoryHealth } from "./advisory-health.ts";
import { importedSources } from "./known-sources.ts";
import type { ImportedSource } from "./known-sources.ts";

export type RefreshLog = Readonly<
  Record<"debug" | "info" | "warn", (fields: object, message: string) => void>
>;

export type RefreshOptions<NuGet, Npm> = {
  readonly sources: readonly AdvisorySourceLocation[];
  readonly refreshIntervalMs: number;
  readonly recorders: AdvisoryRecorders<NuGet, Npm>;
  /** Called only when a source is due: most registries have none. */
  readonly loadReaders: () => Promise<AdvisoryReaders<NuGet, Npm>>;
  readonly leases: Leases;
  /** Checks each address, and does not follow redirects. */
  readonly fetch: typeof fetch;
  readonly log: RefreshLog;
  readonly health?: Pick<AdvisoryHealth, "report">;
  readonly now: () => Date;
};

const LEASE = "vulnerabilities";
const FIRST_AFTER_MS = 10_000;
/** Milliseconds before the retry of an unreadable source. */
const RETRY_MS = 15 * 60_000;

/** Checks often, and reads what is due: on one instance, and not again after a restart. */
export function refreshJob<NuGet, Npm>(options: RefreshOptions<NuGet, Npm>): Job {
  return {
    name: "vulnerabilities",
    firstAfterMs: FIRST_AFTER_MS,
    everyMs: Math.min(options.refreshIntervalMs, RETRY_MS),
    run: (signal) => refreshAdvisories(options, signal),
  };
}

/**
 * Reads every configured source that is due, and removes sources that are no longer configured.
 * Also deletes temporary files of killed processes on this machine.
 */
export async function refreshAdvisories<NuGet, Npm>(
  options: RefreshOptions<NuGet, Npm>,
  signal: AbortSignal,
): Promise<void> {
  const { leases, log, now, recorders } = options;
  const folders = await removeAbandonedFolders(now());
  if (folders > 0) log.info({ folders }, "removed temporary files of interrupted imports");
  if (isNothing(await planRefresh(options))) return;
  await runLeased(leases, { name: LEASE, signal }, async (leaseSignal) => {
    // Another instance may have done it in between.
    const { due, left } = await planRefresh(options);
    // Only needed where there are sources.
    const { removeSource } = await import("./import-advisories.ts");
    for (const { name } of left) {
      leaseSignal.throwIfAborted();
      await removeSource(recorders, name);
      log.info({ source: name }, "removed advisory source: no longer configured");
    }
    for (const source of due) {
      leaseSignal.throwIfAborted();
      await refreshOne(options, source, leaseSignal);
    }
  });
}

type RefreshPlan = {
  readonly due: readonly AdvisorySourceLocation[];
  /** Imported sources without configuration. */
  readonly left: readonly ImportedSource[];
};

async function planRefresh<NuGet, Npm>(options: RefreshOptions<NuGet, Npm>): Promise<RefreshPlan> {
  const imported = await importedSources(options.recorders.nuget);
  const { sources, health } = options;
  const isConfigured = (name: string) => sources.some((source) => source.name === name);
  const last = (name: string) => imported.find((source) => source.name === name);
  const due = sources.filter(({ name, location }) => isDue(options, location, last(name)));
  // Another instance may have read what failed here.
  for (const source of sources) if (!due.includes(source)) health?.report(source, undefined);
  return {
    due,
    left: imported.filter(({ name, isByHand }) => !isConfigured(name) && !isByHand),
  };
}

function isNothing({ due, left }: RefreshPlan): boolean {
  return due.length === 0 && left.length === 0;
}

/** Logs a failure, so that the other sources are read. */
async function refreshOne<NuGet, Npm>(
  { recorders, loadReaders, fetch, log, health }: RefreshOptions<NuGet, Npm>,
  source: AdvisorySourceLocation,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { importAdvisories } = await import("./import-advisories.ts");
    const readers = await loadReaders();
    const report = await importAdvisories(source, { readers, recorders, fetch, signal });
    health?.report(source, undefined);
    if (report.status === "unchanged") {
      log.debug({ source: source.name }, "advisories have not changed");
      return;
    }
    log.info({ ...report, skipped: report.skipped.count }, "imported advisories");
    if (report.skipped.count > 0) {
      log.warn({ source: source.name, ...report.skipped }, "skipped unreadable advisories");
    }
  } catch (error) {
    if (error instanceof LostLeaseError) throw error;
    if (signal.aborted) return;
    const isKnown = error instanceof AdvisorySourceError;
    health?.report(source, isKnown ? "cannot be read" : "its last import failed");
    const { name, setting } = source;
    log.warn(
      { source: name, setting, ...(isKnown ? { reason: error.message } : { err: error }) },
      "could not read a source of advisories; will retry",
    );
  }
}

function isDue<NuGet, Npm>(
  { refreshIntervalMs, now }: RefreshOptions<NuGet, Npm>,
  location: string,
  last: ImportedSource | undefined,
): boolean {
  if (last?.location !== location) return true;
  return now().getTime() - last.checkedAt.getTime() >= refreshIntervalMs;
}
