import { compareVersionTexts } from "../notation/package-version.ts";
import type { RetentionAction, RetentionPackage, RetentionVersion } from "./ports.ts";

/** Rules of retention; a version stays only if all of them keep it. */
export type RetentionRules = {
  /** The newest this many stay, by version. Undefined: however many there are. */
  readonly versionsMax?: number | undefined;
  /** Counted from the publication. Undefined: however old. */
  readonly ageDaysMax?: number | undefined;
  /** Ids that nothing is taken from, in any casing; `Acme.*` for all that begin with `Acme.`. */
  readonly excludedIds: readonly string[];
  readonly action: RetentionAction;
};

/** A version that the rules choose for deletion, with the reason. */
export type RetentionChoice = {
  /** Lower case. */
  readonly id: string;
  readonly version: string;
  readonly publishedAt: Date;
  readonly reason: "too-many" | "too-old";
};

const DAY_MS = 24 * 60 * 60_000;

/**
 * Which prereleases of a package have to go, the oldest version first. Either rule chooses one.
 * Where unlisting is the action, an unlisted version has gone already: it neither counts among the
 * newest nor is it chosen again.
 */
export function planRetention(
  { id, versions }: RetentionPackage,
  rules: RetentionRules,
  now: Date,
): readonly RetentionChoice[] {
  if (isExcluded(id, rules.excludedIds)) return [];
  const { versionsMax = Number.POSITIVE_INFINITY } = rules;
  const state = versions
    .filter(({ listed }) => listed || rules.action === "Delete")
    .toSorted((version, other) => compareVersionTexts(version.version, other.version));
  const excess = Math.max(0, state.length - versionsMax);
  return state.flatMap(({ version, publishedAt }, index) => {
    const reason = index < excess ? "too-many" : ageReason({ publishedAt }, rules, now);
    return reason ? [{ id, version, publishedAt, reason }] : [];
  });
}

function ageReason(
  { publishedAt }: Pick<RetentionVersion, "publishedAt">,
  { ageDaysMax }: RetentionRules,
  now: Date,
): "too-old" | undefined {
  if (ageDaysMax === undefined) return undefined;
  return now.getTime() - publishedAt.getTime() > ageDaysMax * DAY_MS ? "too-old" : undefined;
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
