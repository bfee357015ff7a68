import { compareVersionTexts, lowerVersion } from "@sealhouse/nuget-protocol";
import type { SearchHit } from "@sealhouse/nuget-protocol";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { IdJudgements } from "./id-judgements.ts";
import { recordOfKept } from "../documents/package-record.ts";

export type HitJudging = {
  readonly judgeHit: IdJudgements["ofHit"];
  readonly source: PackageSource;
};

/** Returns a hit of a source without versions that the rules refuse. */
export async function allowedHit(
  hit: SearchHit,
  { judgeHit, source }: HitJudging,
): Promise<SearchHit | undefined> {
  const numbers = hit.versions.map(({ version }) => version);
  const judged = await judgeHit(hit.id.toLowerCase(), source, numbers);
  const { refused } = judged?.judgement ?? {};
  if (!judged || !refused || refused.size === 0) return hit;
  const versions = hit.versions.filter(({ version }) => !refused.has(version.toLowerCase()));
  if (!refused.has(hit.newest.version.toLowerCase())) return { ...hit, versions };
  const newest = versions.toSorted((a, b) => compareVersionTexts(a.version, b.version)).at(-1);
  const kept = judged.registered.find(
    ({ version }) => lowerVersion(version) === newest?.version.toLowerCase(),
  );
  const record = kept && recordOfKept(kept);
  return record && { ...hit, newest: record, versions };
}
