import { ascendingVersions } from "../notation/package-version.ts";
import type { RetentionAction, RetentionPackage, RetentionVersion } from "./ports.ts";

/**
 * Rules of retention. A version stays if one of them keeps it, as tags of images do. Without
 * `versionsMax` and `ageDaysMax`, every version stays.
 */
export type RetentionRules = {
  /** Number of prereleases of a package that stay, the newest by version, whatever their age. */
  readonly versionsMax?: number | undefined;
  /** Days after its publication that a prerelease stays. */
  readonly ageDaysMax?: number | undefined;
  /** Milliseconds after its last download that a prerelease stays. */
  readonly downloadedWithinMs?: number | undefined;
  /** Ids that nothing is taken from, in any casing; `Acme.*` for all that begin with `Acme.`. */
  readonly excludedIds: readonly string[];
  readonly action: RetentionAction;
};

/** A version that no rule keeps. */
export type RetentionChoice = {
  /** Lower case. */
  readonly id: string;
  readonly version: string;
  readonly publishedAt: Date;
  readonly downloadedAt?: Date;
  /** `too-old` where the rules have an age. */
  readonly reason: "too-many" | "too-old";
  /** Set when the version stays nevertheless, because its package would have no version left. */
  readonly isLast?: true;
};

const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns the prereleases of a package that no rule keeps, the oldest version first. If the package
 * would have no version left, the newest one is marked as its last. Where unlisting is the action,
 * unlisted versions neither count among the newest nor as left.
 */
export function planRetention(
  { id, versions }: RetentionPackage,
  rules: RetentionRules,
  now: Date,
): readonly RetentionChoice[] {
  const { versionsMax, ageDaysMax } = rules;
  if (versionsMax === undefined && ageDaysMax === undefined) return [];
  if (isExcluded(id, rules.excludedIds)) return [];
  const counted = versions.filter(({ listed }) => listed || rules.action === "Delete");
  const candidates = ascendingVersions(
    counted.filter(({ isPublishedPrerelease }) => isPublishedPrerelease),
  );
  const reason = ageDaysMax === undefined ? ("too-many" as const) : ("too-old" as const);
  const chosen = candidates
    .slice(0, Math.max(0, candidates.length - (versionsMax ?? 0)))
    .filter((version) => !isRecent(version, rules, now))
    .map(({ version, publishedAt, downloadedAt }): RetentionChoice => {
      const choice = { id, version, publishedAt, reason };
      return downloadedAt ? { ...choice, downloadedAt } : choice;
    });
  if (chosen.length < counted.length) return chosen;
  return chosen.map((choice, index) =>
    index === chosen.length - 1 ? { ...choice, isLast: true } : choice,
  );
}

function isRecent(
  { publishedAt, downloadedAt }: RetentionVersion,
  { ageDaysMax, downloadedWithinMs }: RetentionRules,
  now: Date,
): boolean {
  const isWithin = (time: Date | undefined, spanMs: number | undefined) =>
    time !== undefined && spanMs !== undefined && now.getTime() - time.getTime() <= spanMs;
  const ageMsMax = ageDaysMax === undefined ? undefined : ageDaysMax * DAY_MS;
  return isWithin(publishedAt, ageMsMax) || isWithin(downloadedAt, downloadedWithinMs);
}

function isExcluded(id: string, patterns: readonly string[]): boolean {
  const name = id.toLowerCase();
  return patterns.some((pattern) => {
    const lowerPattern = pattern.trim().toLowerCase();
    return lowerPattern.endsWith("*")
      ? name.startsWith(lowerPattern.slice(0, -1))
      : name === lowerPattern;
  });
}
