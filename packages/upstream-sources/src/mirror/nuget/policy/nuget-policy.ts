import {
  advisoriesFor,
  advisoryFixedBy,
  lowerVersion,
  parseDetails,
} from "@sealhouse/nuget-protocol";
import type { Advisory, AdvisoryLookup, PackageRecord } from "@sealhouse/nuget-protocol";
import { isFastLane } from "../../../policy/fast-lane.ts";
import { judgeVersions, needsJudgement, NOTHING_REFUSED } from "../../../policy/judge.ts";
import type { Judgement } from "../../../policy/judge.ts";
import { nameRules } from "../../../policy/name-rules.ts";
import type { NamePolicy, PolicyParts } from "../../../policy/name-rules.ts";
import type { PolicySeverity } from "../../../policy/policy-rule.ts";
import { SEVERITIES } from "../../../policy/policy-rule.ts";
import type { RuleSet } from "../../../policy/rule-list.ts";
import { ageOf } from "../../../policy/source-age.ts";
import type { VersionFacts } from "../../../policy/wanted-version.ts";
import { contentKeyOf } from "../../../sources/package-source.ts";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { KeptVersion } from "../documents/kept-registration.ts";
import type { ToldVersions } from "../documents/told-versions.ts";

export type NuGetPolicyParts = PolicyParts & {
  readonly advisories: Pick<AdvisoryLookup, "of">;
};

/** A package with what decisions about it depend on. */
export type JudgedPackage = {
  /** Lower-cased. */
  readonly id: string;
  /** Undefined for a package that was published here. */
  readonly source?: PackageSource | undefined;
  readonly told?: ToldVersions | undefined;
  /** The versions that are stored here. */
  readonly stored: readonly PackageRecord[];
};

/** The rules about NuGet packages. Judgements have lower-cased versions. */
export type NuGetPolicy = NamePolicy & {
  judge(set: RuleSet, judged: JudgedPackage): Promise<Judgement>;
};

export function createNuGetPolicy(parts: NuGetPolicyParts): NuGetPolicy {
  const { firstSeen, advisories, fastLane, now } = parts;
  const { policy, hasAdvisoryRules } = nameRules("nuget", parts);
  return {
    ...policy,
    async judge(set, { id, source, told, stored }) {
      const name = stored[0]?.id ?? told?.registered[0]?.id ?? id;
      const judged = { protocol: "nuget", name, source: ageOf(source) } as const;
      const at = now();
      if (!needsJudgement(judged, set.rules, at)) return NOTHING_REFUSED;
      const all = joined(told, stored);
      const undated = all.filter((version) => publishedAtOf(version) === undefined);
      const known = hasAdvisoryRules(set, id) ? (await advisories.of([id])).get(id) : undefined;
      // Without an age, dates do not matter.
      const seen =
        source && source.settings.minimumReleaseAgeMs > 0 && undated.length > 0
          ? await firstSeen.note(contentKeyOf(source), id, undated.map(numberOf))
          : new Map<string, Date>();
      const fixes = isFastLane(fastLane, source)
        ? await fixesOf(id, advisories, fastLane.sources)
        : undefined;
      const versions = all.map((version) => ({
        version: version.number,
        publishedAt: publishedAtOf(version) ?? seen.get(version.number) ?? at,
        isDateUnknown: seen.has(version.number),
        isKept: version.stored !== undefined,
        facts: () => factsOf(version, known ?? []),
        fixes: fixes && (() => fixes(version)),
      }));
      return judgeVersions(judged, versions, { rules: set.rules, now: at });
    },
  };
}

/**
 * Returns a function that gives the advisory of the sources that a version is the fix of. What the
 * package source itself states about a version counts against it.
 */
async function fixesOf(
  id: string,
  advisories: NuGetPolicyParts["advisories"],
  sources: readonly string[],
): Promise<(version: JoinedVersion) => string | undefined> {
  const trusted = (await advisories.of([id], sources)).get(id) ?? [];
  if (trusted.length === 0) return () => undefined;
  const known = (await advisories.of([id])).get(id);
  return ({ number, registered }) => {
    if ((registered?.vulnerabilities?.length ?? 0) > 0) return undefined;
    const fixed = advisoryFixedBy(number, trusted, known);
    return fixed && (fixed.advisoryId ?? fixed.url);
  };
}

/** A version with its facts from the source and from here. */
type JoinedVersion = {
  readonly number: string;
  readonly registered?: KeptVersion | undefined;
  readonly stored?: PackageRecord | undefined;
};

/** Joins the versions at the source and those here, in which some may be that it has removed. */
function joined(
  told: ToldVersions | undefined,
  stored: readonly PackageRecord[],
): readonly JoinedVersion[] {
  const registered = byNumber(told?.registered ?? []);
  const kept = byNumber(stored);
  const numbers = new Set([...(told?.numbers ?? []), ...registered.keys(), ...kept.keys()]);
  return [...numbers].map((number) => ({
    number,
    registered: registered.get(number),
    stored: kept.get(number),
  }));
}

function byNumber<V extends { readonly version: string }>(versions: readonly V[]): Map<string, V> {
  return new Map(
    versions.map((version) => [
      lowerVersion(version.version) ?? version.version.toLowerCase(),
      version,
    ]),
  );
}

function numberOf({ number }: JoinedVersion): string {
  return number;
}

function publishedAtOf({ registered, stored }: JoinedVersion): Date | undefined {
  return registered?.publishedAt ?? stored?.publishedAt;
}

function factsOf(
  { number, registered, stored }: JoinedVersion,
  known: readonly Advisory[],
): VersionFacts {
  return {
    license: registered?.texts.licenseExpression ?? licenseOf(stored),
    severity: highest([
      ...(registered?.vulnerabilities ?? []),
      ...(stored?.vulnerabilities ?? []),
      ...advisoriesFor(number, known),
    ]),
  };
}

function licenseOf(stored: PackageRecord | undefined): string | undefined {
  const license = stored && parseDetails(stored).license;
  return license?.type === "expression" ? license.text : undefined;
}

/** Sources may write other numbers than those of severities. */
function highest(found: readonly { readonly severity: number }[]): PolicySeverity | undefined {
  const most = Math.max(-1, ...found.map(({ severity }) => severity));
  const severities = SEVERITIES.map((_, index) => index as PolicySeverity);
  return severities.findLast((severity) => severity <= most);
}
