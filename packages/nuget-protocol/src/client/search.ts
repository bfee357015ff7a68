import { count, field, isAbsent, items, optionalText, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";
import { textOrList, textsOf } from "./registration.ts";
import type { RegisteredVersion } from "./registration.ts";

export type FeedQuery = {
  /** Default: everything. */
  readonly text?: string;
  readonly skip?: number;
  readonly take?: number;
  /** Default true, unlike the protocol's own. */
  readonly prerelease?: boolean;
  readonly packageType?: string;
};

export type FoundPackage = {
  readonly id: string;
  readonly version: string;
  readonly description: string;
  readonly authors: string;
  readonly tags: readonly string[];
  readonly texts: RegisteredVersion["texts"];
  readonly downloads: number;
  readonly versions: readonly { readonly version: string; readonly downloads: number }[];
};

export type FoundPackages = {
  readonly totalHits: number;
  readonly packages: readonly FoundPackage[];
};

const HITS_MAX = 10_000;
const VERSIONS_MAX = 100_000;

/** With everything that SemVer 2.0.0 allows. */
export function queryUrl(endpoint: string, query: FeedQuery): URL {
  const url = new URL(endpoint);
  if (query.text !== undefined && query.text !== "") url.searchParams.set("q", query.text);
  if (query.skip !== undefined) url.searchParams.set("skip", String(query.skip));
  if (query.take !== undefined) url.searchParams.set("take", String(query.take));
  url.searchParams.set("prerelease", String(query.prerelease ?? true));
  url.searchParams.set("semVerLevel", "2.0.0");
  if (query.packageType !== undefined) url.searchParams.set("packageType", query.packageType);
  return url;
}

export function parseSearch(document: JsonNode): FoundPackages {
  return {
    totalHits: count(field(document, "totalHits")),
    packages: items(field(document, "data"), HITS_MAX).map(foundPackage),
  };
}

export function parseAutocomplete(document: JsonNode): readonly string[] {
  return items(field(document, "data"), VERSIONS_MAX).map(text);
}

function foundPackage(hit: JsonNode): FoundPackage {
  return {
    id: text(field(hit, "id")),
    version: text(field(hit, "version")),
    description: optionalText(field(hit, "description")) ?? "",
    authors: textOrList(field(hit, "authors")).join(", "),
    tags: textOrList(field(hit, "tags")),
    texts: textsOf(hit),
    downloads: downloadsOf(field(hit, "totalDownloads")),
    versions: items(field(hit, "versions"), VERSIONS_MAX).map((jsonNode) => ({
      version: text(field(jsonNode, "version")),
      downloads: downloadsOf(field(jsonNode, "downloads")),
    })),
  };
}

function downloadsOf(node: JsonNode): number {
  return isAbsent(node) ? 0 : count(node);
}
