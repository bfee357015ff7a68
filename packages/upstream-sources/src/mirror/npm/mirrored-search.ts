import { coversName } from "@sealhouse/identity";
import { parseOldPackageName, parsePackageVersion, searchTextOf } from "@sealhouse/npm-protocol";
import type {
  NameLimit,
  NpmSearch,
  NpmSearchFilter,
  NpmSearchHit,
  OriginLimit,
} from "@sealhouse/npm-protocol";
import type { FoundPackage, NpmClient } from "@sealhouse/npm-protocol/client";
import type { PackageSource } from "../../sources/package-source.ts";
import type { Mirror } from "../mirror.ts";
import { allowedOf, askSources, hitsOfSource } from "../search/ask-sources.ts";
import type { SourceSearch } from "../search/ask-sources.ts";
import { collectHits } from "../search/collect-hits.ts";
import { mergeHits } from "../search/merge-hits.ts";
import type { Hits } from "../search/merge-hits.ts";

export type MirroredSearchParts = SourceSearch & {
  readonly clientOf: (source: PackageSource) => NpmClient;
  /** Returns a hit with its newest allowed version; undefined when no version is allowed. */
  readonly allowHit: (
    hit: NpmSearchHit,
    source: PackageSource,
  ) => Promise<NpmSearchHit | undefined>;
};

/** Hits of one request to a source, as registries limit them. */
const SIZE_MAX = 250;

/**
 * Searches in the sources, too. The hits of a source that fails or takes too long are left out, and
 * those of names that are published here. Versions that the rules refuse are left out.
 */
export function mirroredSearch(search: NpmSearch, parts: MirroredSearchParts): NpmSearch {
  return {
    async search(query) {
      const { from, size, ...filter } = query;
      const text = searchTextOf(filter);
      // Registries refuse a search without a text.
      if (text === "") return search.search(query);
      const wanted = from + size;
      const asked = { text, filter, wanted };
      const [local, others] = await Promise.all([
        search.search({ ...query, from: 0, size: wanted }),
        askSources(parts, "npm", (source, signal) => searchSource(parts, source, asked, signal)),
      ]);
      const hits = { totalHits: local.total, hits: local.hits };
      const merged = mergeHits(hits, others, { strategy: parts.mergeStrategy, keyOf: nameOf });
      return { total: merged.totalHits, hits: merged.hits.slice(from, wanted) };
    },
  };
}

export type ShownSearchParts = {
  readonly mirror: Pick<Mirror, "enabled">;
  readonly includesMirrored: boolean;
  /** As `MirroredSearchParts["allowHit"]`, for stored packages. */
  readonly allowStoredHit: (hit: NpmSearchHit) => Promise<NpmSearchHit | undefined>;
};

/** Search without the packages of sources that search does not show, and without versions that
 * rules deny. */
export function shownSearch(
  search: NpmSearch,
  { mirror, includesMirrored, allowStoredHit }: ShownSearchParts,
): NpmSearch {
  const limitOf = async (): Promise<OriginLimit> => {
    if (!includesMirrored) return { ownOnly: true };
    const sources = await mirror.enabled("npm");
    const hidden = sources.filter(({ strategy }) => strategy !== "IndexAndCache");
    return hidden.length === 0 ? {} : { notFrom: hidden.map(({ name }) => name) };
  };
  return {
    async search(query) {
      const { total, hits } = await search.search({ ...query, ...(await limitOf()) });
      const allowed = (await Promise.all(hits.map(allowStoredHit))).flatMap((hit) => hit ?? []);
      return { total: total - (hits.length - allowed.length), hits: allowed };
    },
  };
}

type Asked = {
  readonly text: string;
  readonly filter: NpmSearchFilter & NameLimit;
  /** Hits from the first one on. */
  readonly wanted: number;
};

async function searchSource(
  parts: MirroredSearchParts,
  source: PackageSource,
  { text, filter, wanted }: Asked,
  signal: AbortSignal,
): Promise<Hits<NpmSearchHit>> {
  const client = parts.clientOf(source);
  return collectHits({
    wanted,
    sizeMax: SIZE_MAX,
    keyOf: nameOf,
    async read(from, size) {
      const { total, packages } = await parts.mirror.calls.run(source, signal, (callSignal) =>
        client.search({ text, from, size }, { signal: callSignal }),
      );
      return { total, found: packages };
    },
    async show(found: readonly FoundPackage[]) {
      const matching = found.flatMap((one) => hitOf(one, filter));
      const hits = await hitsOfSource(parts, source, { hits: matching, nameOf });
      return allowedOf(hits, signal, (hit) => parts.allowHit(hit, source));
    },
  });
}

/** The hit in the form of local ones; empty for a package that may not be shown, or that does not
 * meet conditions which not every registry knows. */
function hitOf(found: FoundPackage, filter: NpmSearchFilter & NameLimit): readonly NpmSearchHit[] {
  const { name, version = "", description, keywords, publishedAt, maintainers } = found;
  const isNamed =
    parseOldPackageName(name) !== undefined && parsePackageVersion(version) === version;
  if (!isNamed || !isWithin(filter, name) || !isStateWanted(filter, version)) return [];
  return [
    {
      name,
      version,
      description,
      keywords,
      publishedAt: publishedAt ?? new Date(0),
      manifest: JSON.stringify(found.manifest),
      maintainers,
      dependents: 0,
    },
  ];
}

function isWithin({ names, hidden, scope }: NpmSearchFilter & NameLimit, name: string): boolean {
  if (hidden?.has(name) === true) return false;
  if (scope !== undefined && !name.startsWith(`${scope}/`)) return false;
  return names === undefined || names.some((pattern) => coversName(pattern, "npm", name));
}

function isStateWanted({ without, only }: NpmSearchFilter, version: string): boolean {
  const isUnstable = version.startsWith("0.") || version.includes("-");
  return !(isUnstable ? without : only)?.includes("unstable");
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
