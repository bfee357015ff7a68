const DAY_MS = 24 * 60 * 60_000;
const RUN_DAYS = 90;
const DRY_RUN_DAYS = 7;

/**
 * Reports that began before these times are forgotten when a run starts, but for the one that the
 * run is bound to. Those of runs are for people who look back. That of a dry run lists everything
 * that could go, day after day the same, and is for whoever removes it soon.
 */
export function forgottenBefore(startedAt: Date): { readonly runs: Date; readonly dryRuns: Date } {
  const before = (days: number) => new Date(startedAt.getTime() - days * DAY_MS);
  return { runs: before(RUN_DAYS), dryRuns: before(DRY_RUN_DAYS) };
}
