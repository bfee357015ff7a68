import { ascendingVersions, parsePackageVersion } from "../notation/package-version.ts";
import type { VersionSummary } from "../ports.ts";
import type { Deprecation, PackageRecord } from "../stored-package.ts";
import type { PastVersion } from "./ports.ts";

/** Properties of a version that a view shows instead of the current ones. */
export type VersionState = { readonly listed: boolean; readonly deprecation?: Deprecation };

/**
 * Returns the state of a version, by its lower-case text; undefined hides the version. This is the
 * only place that hides versions: documents are rendered from the visible ones. A view has the rule
 * `ruleOfPast`; a cooldown would be another rule.
 */
export type VisibilityRule = (lowerVersion: string) => VersionState | undefined;

/** Returns the visible versions of registration documents, in their state by the rule. */
export function visibleRecords(
  records: readonly PackageRecord[],
  rule: VisibilityRule,
): readonly PackageRecord[] {
  return records.flatMap(({ deprecation: _deprecation, ...record }) => {
    const state = rule(record.version.toLowerCase());
    return state ? [{ ...record, ...state }] : [];
  });
}

/** Returns the visible versions of lists. */
export function visibleSummaries(
  summaries: readonly VersionSummary[],
  rule: VisibilityRule,
): readonly VersionSummary[] {
  return summaries.flatMap((summary) => {
    const state = rule(summary.version.toLowerCase());
    return state ? [{ ...summary, listed: state.listed }] : [];
  });
}

/** Returns the rule of a view: it shows versions that existed then and have the same bytes now. */
export function ruleOfPast(past: readonly PastVersion[]): VisibilityRule {
  return ruleOf(past.filter(({ isKept }) => isKept));
}

/** Returns the rule of a view for versions that were deleted or replaced since. */
export function ruleOfKept(past: readonly PastVersion[]): VisibilityRule {
  return ruleOf(past.filter(({ isKept }) => !isKept));
}

function ruleOf(past: readonly PastVersion[]): VisibilityRule {
  const states = new Map(
    past.map(({ version, listed, deprecation }) => [
      version,
      { listed, ...(deprecation && { deprecation }) },
    ]),
  );
  return (version) => states.get(version);
}

/** Adds the versions whose bytes are gone, in ascending order: a restore that needs one must fail,
 * and not choose another version. */
export function withLostVersions(
  summaries: readonly VersionSummary[],
  past: readonly PastVersion[],
  id: string,
): readonly VersionSummary[] {
  const shown = new Set(summaries.map(({ version }) => version.toLowerCase()));
  const lost = past.filter(({ isKept, version }) => !isKept && !shown.has(version));
  if (lost.length === 0) return summaries;
  const shownId = summaries[0]?.id ?? id;
  return ascendingVersions([
    ...summaries,
    ...lost.map(({ version, listed }): VersionSummary => {
      const { isPrerelease = false, isSemVer2 = false } = parsePackageVersion(version) ?? {};
      return { id: shownId, version, isPrerelease, isSemVer2, listed, isLost: true };
    }),
  ]);
}
