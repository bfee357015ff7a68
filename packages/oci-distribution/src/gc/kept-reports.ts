const DAY_MS = 24 * 60 * 60_000;
const RUN_DAYS = 90;
const DRY_RUN_DAYS = 7;

/**
 * Returns the times before which reports expire. A new run deletes expired reports, except the one
 * that it is bound to. The report of a dry run is large and used soon, so it expires earlier.
 */
export function reportExpiry(startedAt: Date): { readonly runs: Date; readonly dryRuns: Date } {
  const before = (days: number) => new Date(startedAt.getTime() - days * DAY_MS);
  return { runs: before(RUN_DAYS), dryRuns: before(DRY_RUN_DAYS) };
}
