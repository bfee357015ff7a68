import type { Protocol } from "@sealhouse/request-types";
import type { PackageSource } from "../sources/package-source.ts";
import { rulesFor } from "./decide.ts";
import { isFastLane } from "./fast-lane.ts";
import type { FastLane } from "./fast-lane.ts";
import { needsJudgement } from "./judge.ts";
import type { FirstSeen } from "./policy-rule.ts";
import type { RuleList, RuleSet } from "./rule-list.ts";
import { ageOf } from "./source-age.ts";

/** Dependencies of the rules about the packages of a protocol. */
export type PolicyParts = {
  readonly rules: RuleList;
  readonly firstSeen: FirstSeen;
  readonly fastLane?: Pick<FastLane, "sources"> | undefined;
  readonly now: () => Date;
};

/** The rules about the names of a protocol, without their versions. */
export type NamePolicy = {
  readonly rules: RuleList;
  /** Whether a version of the name may be refused. */
  mayRefuse(set: RuleSet, name: string, source: PackageSource | undefined): boolean;
  /** Whether a version of the name may be denied by a rule. */
  mayDeny(set: RuleSet, name: string): boolean;
  /** Whether decisions about the name may change while its documents and the rules stay. */
  dependsOnAdvisories(set: RuleSet, name: string, source: PackageSource | undefined): boolean;
};

/** Creates them, with two questions of the judgement. */
export function nameRules(protocol: Protocol, { rules, fastLane, now }: PolicyParts) {
  const rulesOf = (set: RuleSet, name: string) => rulesFor(set.rules, { protocol, name }, now());
  const hasAdvisoryRules = (set: RuleSet, name: string) =>
    rulesOf(set, name).some(({ conditions }) => conditions.severity !== undefined);
  const policy: NamePolicy = {
    rules,
    mayRefuse: (set, name, source) =>
      needsJudgement({ protocol, name, source: ageOf(source) }, set.rules, now()),
    mayDeny: (set, name) => rulesOf(set, name).some(({ effect }) => effect === "deny"),
    dependsOnAdvisories: (set, name, source) =>
      hasAdvisoryRules(set, name) || isFastLane(fastLane, source),
  };
  return { policy, rulesOf, hasAdvisoryRules };
}
