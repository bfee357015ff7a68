import { ascendingVersions, parsePackageVersion } from "../notation/package-version.ts";
import type { VersionSummary } from "../ports.ts";
import type { Deprecation, PackageRecord } from "../stored-package.ts";
import type { PastVersion } from "./ports.ts";

/** What readers see of a version instead of its state of today. */
export type VersionState = { readonly listed: boolean; readonly deprecation?: Deprecation };

/**
 * The state of a version, by its lower-case text; undefined hides the version. The only decision
 * about what documents show: whoever hides versions for another reason writes another rule.
 */
export type VisibilityRule = (lowerVersion: string) => VersionState | undefined;

/** Applies a rule to what documents are rendered from. */
export function visibleRecords(
  records: readonly PackageRecord[],
  rule: VisibilityRule,
): readonly PackageRecord[] {
  return records.flatMap(({ deprecation: _, ...record }) => {
    const state = rule(record.version.toLowerCase());
    return state ? [{ ...record, ...state }] : [];
  });
}

/** The same for what lists of versions are rendered from. */
export function visibleSummaries(
  summaries: readonly VersionSummary[],
  rule: VisibilityRule,
): readonly VersionSummary[] {
  return summaries.flatMap((summary) => {
    const state = rule(summary.version.toLowerCase());
    return state ? [{ ...summary, listed: state.listed }] : [];
  });
}

/** The rule of a view: versions that were here then, and are here today with the same bytes. */
export function ruleOfPast(past: readonly PastVersion[]): VisibilityRule {
  const kept = new Map(
    past
      .filter(({ isKept }) => isKept)
      .map(({ version, listed, deprecation }) => [
        version,
        { listed, ...(deprecation && { deprecation }) },
      ]),
  );
  return (version) => kept.get(version);
}

/** Adds the versions whose bytes are gone to the others, in ascending order: a restore that needs
 * one must fail, and not choose another version. */
export function withLostVersions(
  summaries: readonly VersionSummary[],
  past: readonly PastVersion[],
  id: string,
): readonly VersionSummary[] {
  const lost = past.filter(({ isKept }) => !isKept);
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
