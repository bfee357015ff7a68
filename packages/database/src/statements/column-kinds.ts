// SQLite and MySQL return truth values as numbers, SQLite times as milliseconds. A column of either
// kind is recognized by its name; a test compares these sets with the entities.

/** Columns of truth values. */
export const FLAG_COLUMNS: ReadonlySet<string> = new Set([
  "active",
  "backed_up",
  "dry_run",
  "enabled",
  "is_prefix",
  "is_prerelease",
  "is_sem_ver2",
  "listed",
  "may_create",
  "shared",
  "trusted_only",
  "was_there",
]);

const OTHER_TIME_COLUMNS: ReadonlySet<string> = new Set([
  "at",
  "attempts_since",
  "claimed_until",
  "gone_since",
  "held_until",
  "not_after",
  "not_before",
  "paused_until",
  "pending_since",
  "since",
  "unused_since",
  "valid_from",
  "valid_to",
]);

/** Whether a column holds a time: its name ends with `_at`, or is one of a few others. */
export function isTimeColumn(name: string): boolean {
  return name.endsWith("_at") || OTHER_TIME_COLUMNS.has(name);
}
