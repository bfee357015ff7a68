import type { PackageLookup, UpstreamDocument } from "@sealhouse/nuget-protocol";
import type { Judgement } from "../../../policy/judge.ts";
import { NOTHING_REFUSED } from "../../../policy/judge.ts";
import type { RuleSet } from "../../../policy/rule-list.ts";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { FoundAtSource } from "../../mirror.ts";
import type { NuGetPolicy } from "./nuget-policy.ts";
import type { ToldVersions, ToldVersionsReader } from "../documents/told-versions.ts";

/** An id with the document that a client reads, and the source that has it. */
export type ReadId = {
  readonly id: string;
  readonly document: UpstreamDocument;
  /** Undefined for packages that were published here. */
  readonly at: FoundAtSource | undefined;
};

/** The decisions about the versions of an id. */
export type JudgedId = {
  readonly judgement: Judgement;
  /** The facts that they depend on; undefined: they must not be used again. */
  readonly judgedFrom?: string | undefined;
};

/** A found package with the decisions about its versions. */
export type JudgedHit = { readonly judgement: Judgement } & Pick<ToldVersions, "registered">;

export type IdJudgements = {
  /** `before`: the decisions until now, which stay while nothing has changed. */
  of(set: RuleSet, read: ReadId, before: JudgedId | undefined): Promise<JudgedId>;
  /** Judges the stored versions, which may only be denied. */
  ofStored(set: RuleSet, id: string): Promise<Judgement>;
  /** Judges versions that a search finds, without a claim to the id. Undefined: all are allowed. */
  readonly ofHit: (
    id: string,
    source: PackageSource,
    numbers: readonly string[],
  ) => Promise<JudgedHit | undefined>;
};

export function createIdJudgements({
  policy,
  told: reader,
  lookup,
  now,
}: {
  readonly policy: NuGetPolicy;
  readonly told: ToldVersionsReader;
  /** The stored versions. */
  readonly lookup: Pick<PackageLookup, "versions">;
  readonly now: () => Date;
}): IdJudgements {
  const judge = async (
    set: RuleSet,
    id: string,
    from: { readonly source?: PackageSource | undefined; readonly told?: ToldVersions | undefined },
  ): Promise<Judgement> => policy.judge(set, { id, ...from, stored: await lookup.versions(id) });
  return {
    async of(set, { id, document, at }, before) {
      if (!policy.mayRefuse(set, id, at?.source)) return { judgement: NOTHING_REFUSED };
      const told = at && (await reader.of(id, document, at));
      const judgedFrom =
        at && told && !policy.dependsOnAdvisories(set, id, at.source)
          ? basisOf(set, at.source, told)
          : undefined;
      const isSame = before?.judgedFrom !== undefined && before.judgedFrom === judgedFrom;
      if (isSame && !hasChanged(before.judgement, now())) {
        return { judgement: before.judgement, judgedFrom };
      }
      return { judgement: await judge(set, id, { source: at?.source, told }), judgedFrom };
    },
    ofStored: (set, id) => judge(set, id, {}),
    async ofHit(id, source, numbers) {
      const set = await policy.rules.current();
      if (!policy.mayRefuse(set, id, source)) return undefined;
      const told = await reader.at(source, id, numbers);
      return { judgement: await judge(set, id, { source, told }), registered: told.registered };
    },
  };
}

/** The facts that decisions depend on, in addition to the time. */
function basisOf(set: RuleSet, { name, settings }: PackageSource, told: ToldVersions): string {
  return JSON.stringify([set.revision, name, settings.minimumReleaseAgeMs, told.revision]);
}

function hasChanged({ changesAt }: Judgement, now: Date): boolean {
  return changesAt !== undefined && changesAt <= now;
}
