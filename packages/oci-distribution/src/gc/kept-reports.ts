const DAY_MS = 24 * 60 * 60_000;
const RUN_DAYS = 90;
const DRY_RUN_DAYS = 7;

/**
 * Reports that began before these times are deleted when a run starts, except the one to which the
 * run is bound. The report of a dry run lists everything that could go, and is soon acted upon; so
 * it expires earlier.
 */
export function reportExpiry(startedAt: Date): { readonly runs: Date; readonly dryRuns: Date } {
  const before = (days: number) => new Date(startedAt.getTime() - days * DAY_MS);
  return { runs: before(RUN_DAYS), dryRuns: before(DRY_RUN_DAYS) };
}
