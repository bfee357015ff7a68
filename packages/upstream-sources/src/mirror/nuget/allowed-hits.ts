import { compareVersionTexts, lowerVersion } from "@sealhouse/nuget-protocol";
import type { SearchHit } from "@sealhouse/nuget-protocol";
import type { PackageSource } from "../../sources/package-source.ts";
import type { IdJudgements } from "./id-judgements.ts";
import { recordOfKept } from "./package-record.ts";

export type HitJudging = {
  readonly judgeHit: IdJudgements["ofHit"];
  readonly source: PackageSource;
  readonly signal: AbortSignal;
};

/**
 * Returns the hits of a source without versions that the rules refuse. Hits that cannot be judged
 * before `signal` aborts are left out; the next search finds the documents that are read by then.
 */
export async function allowedHits(
  hits: readonly SearchHit[],
  judging: HitJudging,
): Promise<readonly SearchHit[]> {
  const judged = await Promise.all(
    hits.map((hit) => before(judging.signal, allowedHit(hit, judging))),
  );
  return judged.flatMap((hit) => hit ?? []);
}

async function allowedHit(
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

/** Undefined when the work fails or takes too long. */
async function before<Value>(
  signal: AbortSignal,
  work: Promise<Value>,
): Promise<Value | undefined> {
  const settled = work.catch(() => undefined);
  const ended = Promise.withResolvers<undefined>();
  const end = () => ended.resolve(undefined);
  if (signal.aborted) return undefined;
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([settled, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
