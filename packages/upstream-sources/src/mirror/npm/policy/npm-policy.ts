import { advisoryFixedBy, matchAdvisories } from "@sealhouse/npm-protocol";
import type { NpmAdvisories, NpmPackage, NpmVersion } from "@sealhouse/npm-protocol";
import { isFastLane } from "../../../policy/fast-lane.ts";
import { judgeVersions, needsJudgement, NOTHING_REFUSED } from "../../../policy/judge.ts";
import type { Judgement } from "../../../policy/judge.ts";
import { licenseIn } from "./license-in.ts";
import { nameRules } from "../../../policy/name-rules.ts";
import type { NamePolicy, PolicyParts } from "../../../policy/name-rules.ts";
import type { RuleSet } from "../../../policy/rule-list.ts";
import { ageOf } from "../../../policy/source-age.ts";
import type { VersionFacts } from "../../../policy/wanted-version.ts";
import { contentKeyOf } from "../../../sources/package-source.ts";
import type { PackageSource } from "../../../sources/package-source.ts";

export type NpmPolicyParts = PolicyParts & { readonly advisories: NpmAdvisories };

/** A package with what decisions about it depend on. */
export type JudgedPackage = {
  /** All versions that the documents may show. */
  readonly found: NpmPackage;
  /** Undefined for a package that was published here. */
  readonly source?: PackageSource | undefined;
  /** The versions that are stored here. */
  readonly stored?: NpmPackage | undefined;
  /** Versions whose publish date the source does not state. */
  readonly undated: readonly string[];
};

/** The rules about npm packages. */
export type NpmPolicy = NamePolicy & {
  /** Whether decisions about the name depend on licences or scripts. */
  needsManifests(set: RuleSet, name: string): boolean;
  judge(set: RuleSet, judged: JudgedPackage): Promise<Judgement>;
};

export function createNpmPolicy(parts: NpmPolicyParts): NpmPolicy {
  const { firstSeen, advisories, fastLane, now } = parts;
  const { policy, rulesOf, hasAdvisoryRules } = nameRules("npm", parts);
  return {
    ...policy,
    needsManifests: (set, name) =>
      rulesOf(set, name).some(
        ({ conditions }) => conditions.licenses || conditions.hasInstallScripts,
      ),
    async judge(set, { found, source, stored, undated }) {
      const { name } = found;
      const judged = { protocol: "npm", name, source: ageOf(source) } as const;
      const at = now();
      if (!needsJudgement(judged, set.rules, at)) return NOTHING_REFUSED;
      const all = withOthers(found.versions, stored?.versions ?? []);
      const severities = hasAdvisoryRules(set, name)
        ? severitiesOf(name, await advisories.of([name]), all)
        : new Map<string, NonNullable<VersionFacts["severity"]>>();
      const seen =
        source && undated.length > 0
          ? await firstSeen.note(contentKeyOf(source), name, undated)
          : new Map<string, Date>();
      const fixes = isFastLane(fastLane, source)
        ? await fixesOf(name, advisories, fastLane.sources)
        : undefined;
      const kept = new Set(stored?.versions.map(({ version }) => version));
      const versions = all.map((version) => ({
        version: version.version,
        publishedAt: seen.get(version.version) ?? version.publishedAt,
        isDateUnknown: seen.has(version.version),
        isKept: kept.has(version.version),
        facts: () => ({ ...factsOf(version), severity: severities.get(version.version) }),
        fixes: fixes && (() => fixes(version.version)),
      }));
      return judgeVersions(judged, versions, { rules: set.rules, now: at });
    },
  };
}

/** Returns a function that gives the advisory of the sources that a version is the fix of. */
async function fixesOf(
  name: string,
  advisories: NpmAdvisories,
  sources: readonly string[],
): Promise<(version: string) => string | undefined> {
  const trusted = (await advisories.of([name], sources)).get(name) ?? [];
  if (trusted.length === 0) return () => undefined;
  const known = (await advisories.of([name])).get(name);
  return (version) => {
    const fixed = advisoryFixedBy(version, trusted, known);
    return fixed && (fixed.advisoryId ?? fixed.url);
  };
}

/** Versions that are stored here stay downloadable when the source has removed them. */
function withOthers(
  versions: readonly NpmVersion[],
  stored: readonly NpmVersion[],
): readonly NpmVersion[] {
  const listed = new Set(versions.map(({ version }) => version));
  return [...versions, ...stored.filter(({ version }) => !listed.has(version))];
}

function factsOf({ manifest, abbreviated }: NpmVersion): VersionFacts {
  const { hasInstallScript } = JSON.parse(abbreviated) as { hasInstallScript?: unknown };
  return { license: licenseIn(JSON.parse(manifest)), hasInstallScripts: hasInstallScript === true };
}

function severitiesOf(
  name: string,
  known: Awaited<ReturnType<NpmAdvisories["of"]>>,
  versions: readonly NpmVersion[],
): Map<string, NonNullable<VersionFacts["severity"]>> {
  const matches = matchAdvisories(
    name,
    known.get(name) ?? [],
    versions.map(({ version }) => version),
  );
  // The most severe come first.
  return new Map(
    matches
      .toReversed()
      .flatMap(({ advisory, versions: affected }) =>
        affected.map((version) => [version, advisory.severity] as const),
      ),
  );
}
