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
import { allowedOf, askSources, hitsOfSource } from "../search/ask-sources.ts";
import type { SourceSearch } from "../search/ask-sources.ts";
import { collectHits } from "../search/collect-hits.ts";
import { mergeHits } from "../search/merge-hits.ts";
import type { Hits } from "../search/merge-hits.ts";
import { allowedHit } from "./policy/allowed-hit.ts";
import type { HitJudging } from "./policy/allowed-hit.ts";
import { recordOfKept } from "./documents/package-record.ts";
import type { ClientOf } from "./documents/source-clients.ts";

type Search = PackageSearch & DependentsLookup;

export type MirroredSearchParts = SourceSearch & {
  readonly clientOf: ClientOf;
  readonly judgeHit: HitJudging["judgeHit"];
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
        askSources(parts, "nuget", (source, signal) =>
          searchSource(parts, source, { query, wanted, signal }),
        ),
      ]);
      const merged = mergeHits(local, others, { strategy: parts.mergeStrategy, keyOf });
      return { totalHits: merged.totalHits, hits: merged.hits.slice(skip, wanted) };
    },
    async idsStartingWith(query) {
      const wanted = query.skip + query.take;
      const [local, others] = await Promise.all([
        search.idsStartingWith({ ...query, skip: 0, take: wanted }),
        askSources(parts, "nuget", (source, signal) =>
          completeSource(parts, source, { query, wanted, signal }),
        ),
      ]);
      const hits = local.ids.map((id) => ({ id }));
      const merged = mergeHits({ ...local, hits }, others, { strategy: "LocalPreferred", keyOf });
      const ids = merged.hits.map(({ id }) => id).toSorted(byName);
      return { totalHits: merged.totalHits, ids: ids.slice(query.skip, wanted) };
    },
    dependents: (id, page) => search.dependents(id, page),
  };
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
  const type = packageType === undefined ? {} : { packageType };
  return collectHits({
    wanted,
    sizeMax: TAKE_MAX,
    keyOf,
    async read(skip, take) {
      const { totalHits, packages } = await parts.mirror.calls.run(source, signal, () =>
        client.search({ text, skip, take, prerelease, ...type }, { signal }),
      );
      return { total: totalHits, found: packages };
    },
    async show(found: readonly FoundPackage[]) {
      const all = found.flatMap((one) => hitOf(one, query) ?? []);
      const hits = await fromSource(parts, source, query, all);
      const judging = { judgeHit: parts.judgeHit, source };
      return allowedOf(hits, signal, (hit) => allowedHit(hit, judging));
    },
  });
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

/** The hits that would come from the source, and that the caller may see. */
function fromSource<Hit extends { readonly id: string }>(
  parts: MirroredSearchParts,
  source: PackageSource,
  limit: SearchFilter,
  hits: readonly Hit[],
): Promise<readonly Hit[]> {
  const allowed = hits.filter(({ id }) => isPackageId(id) && isWithinLimit(limit, id));
  return hitsOfSource(parts, source, { hits: allowed, nameOf: ({ id }) => lowerId(id) });
}

function keyOf({ id }: { readonly id: string }): string {
  return id.toLowerCase();
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
