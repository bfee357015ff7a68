import { createHash } from "node:crypto";
import type { Protocol } from "@sealhouse/request-types";
import { decide, rulesFor } from "./decide.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { Refusal, SourceAge, WantedVersion } from "./wanted-version.ts";

/** A name with what applies to all its versions. */
export type JudgedName = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly source?: SourceAge | undefined;
};

/** The decisions about the versions of a name. */
export type Judgement = {
  /** Versions that are not allowed. */
  readonly refused: ReadonlyMap<string, Refusal>;
  /** Versions that are allowed because they fix an advisory, and the advisories. */
  readonly admitted?: ReadonlyMap<string, string>;
  /** When a decision changes by itself. */
  readonly changesAt?: Date;
};

/** The judgement of a package whose versions are all allowed. */
export const NOTHING_REFUSED: Judgement = { refused: new Map() };

/** Returns a text that changes with the refused versions; undefined when there are none. */
export function variantOfJudgement({ refused }: Judgement): string | undefined {
  if (refused.size === 0) return undefined;
  const texts = [...refused].map(([version, { text }]) => [version, text]);
  return createHash("sha256").update(JSON.stringify(texts)).digest("base64url").slice(0, 22);
}

/** Whether any version of a name may be refused. Without, nothing needs to be read about it. */
export function needsJudgement(
  judged: JudgedName,
  rules: readonly PolicyRule[],
  now: Date,
): boolean {
  const isAgeDemanded = (judged.source?.minimumReleaseAgeMs ?? 0) > 0;
  return isAgeDemanded || rulesFor(rules, judged, now).some(({ effect }) => effect === "deny");
}

/** Decides on all versions of a name. */
export function judgeVersions(
  judged: JudgedName,
  versions: readonly Omit<WantedVersion, keyof JudgedName>[],
  { rules, now }: { readonly rules: readonly PolicyRule[]; readonly now: Date },
): Judgement {
  if (!needsJudgement(judged, rules, now)) return NOTHING_REFUSED;
  const own = rulesFor(rules, judged, now);
  const refused = new Map<string, Refusal>();
  const admitted = new Map<string, string>();
  const changes = own.flatMap(({ expiresAt }) => expiresAt ?? []);
  for (const version of versions) {
    const decision = decide({ ...version, ...judged }, own, now);
    if (decision.status === "allowed") {
      if (decision.fixes !== undefined) admitted.set(version.version, decision.fixes);
      continue;
    }
    refused.set(version.version, decision);
    if (decision.until) changes.push(decision.until);
  }
  const first = changes.toSorted((a, b) => a.getTime() - b.getTime())[0];
  return {
    refused,
    ...(admitted.size > 0 && { admitted }),
    ...(first && { changesAt: first }),
  };
}
