import { visiblePackage } from "@sealhouse/npm-protocol";
import type { NpmLookup, NpmPackage, NpmSearchHit } from "@sealhouse/npm-protocol";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import type { Judgement } from "../../../policy/judge.ts";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { Mirror } from "../../mirror.ts";
import { packumentAsk } from "./npm-asks.ts";
import { loadPackage } from "./npm-names.ts";
import type { NpmPolicy } from "../policy/npm-policy.ts";

export type HitParts = {
  readonly mirror: Pick<Mirror, "documents">;
  readonly clientOf: (source: PackageSource) => NpmClient;
  readonly lookup: Pick<NpmLookup, "find">;
  readonly policy: NpmPolicy;
};

/**
 * Returns a function that replaces the version of a hit with the newest allowed one. Documents of
 * sources are read only where a hit alone does not suffice, and without a claim to the name.
 */
export function createAllowHit({ mirror, clientOf, lookup, policy }: HitParts) {
  return async (hit: NpmSearchHit, source: PackageSource): Promise<NpmSearchHit | undefined> => {
    const { name, version } = hit;
    const set = await policy.rules.current();
    if (!policy.mayRefuse(set, name, source)) return hit;
    const isDated = hit.publishedAt.getTime() > 0;
    if (isDated && !policy.needsManifests(set, name)) {
      const { refused } = await policy.judge(set, { found: packageOf(hit), source, undated: [] });
      if (refused.size === 0) return hit;
    }
    const ask = packumentAsk(clientOf(source), { source, name, version });
    const answer = await mirror.documents.read(ask);
    if (answer.status === "absent") return undefined;
    const { found, ...rest } = await loadPackage(lookup, name, { source, answer });
    if (!found) return undefined;
    return allowedLatest(hit, found, await policy.judge(set, { found, ...rest }));
  };
}

/** Returns a function that does the same for a hit among the stored packages, which rules may deny.
 * It asks no source. */
export function createAllowStoredHit({ lookup, policy }: Pick<HitParts, "lookup" | "policy">) {
  return async (hit: NpmSearchHit): Promise<NpmSearchHit | undefined> => {
    const set = await policy.rules.current();
    if (!policy.mayDeny(set, hit.name)) return hit;
    const found = await lookup.find(hit.name);
    if (!found) return undefined;
    const judged = { found, stored: found, undated: [] };
    return allowedLatest(hit, found, await policy.judge(set, judged));
  };
}

function allowedLatest(
  hit: NpmSearchHit,
  found: NpmPackage,
  { refused }: Judgement,
): NpmSearchHit | undefined {
  if (refused.size === 0) return hit;
  const allowed = visiblePackage(found, (one) => (refused.has(one.version) ? undefined : one));
  return allowed && latestOf(hit, allowed);
}

/** The hit as the only version of its package. */
function packageOf({ name, version, publishedAt, manifest }: NpmSearchHit): NpmPackage {
  const known = { version, manifest, abbreviated: "{}", integrity: "", shasum: "", publishedAt };
  return {
    name,
    revision: 1,
    createdAt: publishedAt,
    modifiedAt: publishedAt,
    distTags: { latest: version },
    versions: [known],
  };
}

function latestOf(hit: NpmSearchHit, { distTags, versions }: NpmPackage): NpmSearchHit | undefined {
  const latest = versions.find(({ version }) => version === distTags["latest"]);
  if (!latest || latest.version === hit.version) return latest && hit;
  const { version, manifest, publishedAt, deprecated } = latest;
  const { description, keywords } = JSON.parse(manifest) as {
    readonly description?: unknown;
    readonly keywords?: unknown;
  };
  return {
    ...hit,
    version,
    manifest,
    publishedAt,
    description: typeof description === "string" ? description : "",
    keywords: Array.isArray(keywords) ? keywords.filter((word) => typeof word === "string") : [],
    ...(deprecated !== undefined && { deprecated }),
  };
}
