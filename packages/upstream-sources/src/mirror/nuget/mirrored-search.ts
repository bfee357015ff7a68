import {
  isPackageId,
  isWithinLimit,
  lowerId,
  lowerVersion,
  parsePackageVersion,
} from "@sealhouse/nuget-protocol";
import type {
  CompletionQuery,
  DependentsLookup,
  PackageSearch,
  SearchFilter,
  SearchHit,
  SearchQuery,
} from "@sealhouse/nuget-protocol";
import type { FoundPackage } from "@sealhouse/nuget-protocol/client";
import type { PackageSource } from "../../sources/package-source.ts";
import type { Mirror } from "../mirror.ts";
import { allowedHits } from "./allowed-hits.ts";
import type { HitJudging } from "./allowed-hits.ts";
import { mergeHits } from "./merge-hits.ts";
import type { Hits, MergeStrategy } from "./merge-hits.ts";
import { recordOfKept } from "./package-record.ts";
import type { ClientOf } from "./source-clients.ts";

type Search = PackageSearch & DependentsLookup;

export type MirroredSearchParts = {
  readonly mirror: Pick<Mirror, "calls" | "isOffline" | "locate" | "upstreams">;
  readonly clientOf: ClientOf;
  readonly judgeHit: HitJudging["judgeHit"];
  readonly timeoutMs: number;
  readonly mergeStrategy: MergeStrategy;
};

/** Hits of one request to a source, as the public gallery limits them. */
const TAKE_MAX = 1_000;

/**
 * Searches in the sources, too. The hits of a source that fails or takes too long are left out, and
 * those of ids that are published here. Versions that the rules refuse are left out.
 */
export function mirroredSearch(search: Search, parts: MirroredSearchParts): Search {
  return {
    async search(query) {
      const { skip, take, text } = query;
      if (text === undefined || query.frameworks) return search.search(query);
      const wanted = skip + take;
      const [local, others] = await Promise.all([
        search.search({ ...query, skip: 0, take: wanted }),
        askAll(parts, (source, signal) => searchSource(parts, source, { query, wanted, signal })),
      ]);
      const merged = mergeHits(local, others, parts.mergeStrategy);
      return { totalHits: merged.totalHits, hits: merged.hits.slice(skip, wanted) };
    },
    async idsStartingWith(query) {
      const wanted = query.skip + query.take;
      const [local, others] = await Promise.all([
        search.idsStartingWith({ ...query, skip: 0, take: wanted }),
        askAll(parts, (source, signal) => completeSource(parts, source, { query, wanted, signal })),
      ]);
      const hits = local.ids.map((id) => ({ id }));
      const merged = mergeHits({ ...local, hits }, others, "LocalPreferred");
      const ids = merged.hits.map(({ id }) => id).toSorted(byName);
      return { totalHits: merged.totalHits, ids: ids.slice(query.skip, wanted) };
    },
    dependents: (id, page) => search.dependents(id, page),
  };
}

async function askAll<Hit>(
  { mirror, timeoutMs }: MirroredSearchParts,
  ask: (source: PackageSource, signal: AbortSignal) => Promise<Hits<Hit>>,
): Promise<readonly Hits<Hit>[]> {
  if (mirror.isOffline) return [];
  const sources = await mirror.upstreams("nuget");
  const signal = AbortSignal.timeout(timeoutMs);
  const answers = await Promise.allSettled(sources.map((source) => ask(source, signal)));
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}

type Asked<Query> = {
  readonly query: Query;
  /** Hits from the first one on. */
  readonly wanted: number;
  readonly signal: AbortSignal;
};

async function searchSource(
  parts: MirroredSearchParts,
  source: PackageSource,
  { query, wanted, signal }: Asked<SearchQuery>,
): Promise<Hits<SearchHit>> {
  const { prerelease, packageType, text = "" } = query;
  const client = parts.clientOf(source);
  const packages: FoundPackage[] = [];
  for (let totalHits = 0; ;) {
    const take = Math.min(Math.max(wanted - packages.length, 1), TAKE_MAX);
    const skip = packages.length;
    const page = await parts.mirror.calls.run(source, signal, () =>
      client.search(
        { text, skip, take, prerelease, ...(packageType !== undefined && { packageType }) },
        { signal },
      ),
    );
    ({ totalHits } = page);
    packages.push(...page.packages);
    const isLast = page.packages.length < take || packages.length >= wanted;
    if (!isLast) continue;
    const hits = packages.flatMap((found) => hitOf(found, query) ?? []);
    const ofSource = await fromSource(parts, source, query, hits);
    const shown = await allowedHits(ofSource, { judgeHit: parts.judgeHit, source, signal });
    return { totalHits: totalHits - (packages.length - shown.length), hits: shown };
  }
}

async function completeSource(
  parts: MirroredSearchParts,
  source: PackageSource,
  { query, wanted, signal }: Asked<CompletionQuery>,
): Promise<Hits<{ readonly id: string }>> {
  const { prefix: text, prerelease, packageType } = query;
  const take = Math.min(Math.max(wanted, 1), TAKE_MAX);
  const ids = await parts.mirror.calls.run(source, signal, () =>
    parts
      .clientOf(source)
      .ids(
        { text, take, prerelease, ...(packageType !== undefined && { packageType }) },
        { signal },
      ),
  );
  const matching = ids.filter((id) => id.toLowerCase().startsWith(text.trim().toLowerCase()));
  const hits = await fromSource(
    parts,
    source,
    query,
    matching.map((id) => ({ id })),
  );
  return { totalHits: hits.length, hits };
}

/** The hits that would come from the source: not those of ids that are published here, that another
 * source is for, or that the caller may not see. */
async function fromSource<Hit extends { readonly id: string }>(
  { mirror }: MirroredSearchParts,
  { name }: PackageSource,
  limit: SearchFilter,
  hits: readonly Hit[],
): Promise<readonly Hit[]> {
  const allowed = hits.filter(({ id }) => isPackageId(id) && isWithinLimit(limit, id));
  const located = await Promise.all(
    allowed.map(({ id }) => mirror.locate({ protocol: "nuget", name: lowerId(id) })),
  );
  return allowed.filter((_, index) => {
    const place = located[index];
    return place?.status === "sources" && place.sources.some((source) => source.name === name);
  });
}

function hitOf(found: FoundPackage, { semVer2 }: SearchQuery): SearchHit | undefined {
  const { id, version, description, authors, tags, texts } = found;
  const newest = recordOfKept({
    id,
    version,
    description,
    authors,
    tags,
    texts,
    listed: true,
    publishedAt: new Date(0),
    vulnerabilities: [],
    requireLicenseAcceptance: false,
    packageTypes: [],
    dependencyGroups: [],
  });
  if (!newest || (newest.isSemVer2 && !semVer2)) return undefined;
  const versions = found.versions.flatMap(({ version: number, downloads }) => {
    const parsed = parsePackageVersion(number);
    if (!parsed || (parsed.isSemVer2 && !semVer2)) return [];
    return [{ version: parsed.normalized, fullVersion: parsed.full, downloads }];
  });
  const hasNewest = versions.some((hit) => lowerVersion(hit.version) === lowerVersion(version));
  const { version: normalized, fullVersion } = newest;
  const own = { version: normalized, fullVersion, downloads: found.downloads };
  return { id, newest, versions: hasNewest ? versions : [...versions, own], owners: [] };
}

function byName(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a < b ? -1 : Number(a > b);
}
