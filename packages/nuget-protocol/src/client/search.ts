import { field, items } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";
import {
  lenientCount,
  lenientField,
  lenientItems,
  lenientText,
  lenientTexts,
} from "./lenient-fields.ts";
import { describedBy } from "./registered-version.ts";
import type { RegisteredVersion } from "./registered-version.ts";

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

/** Leaves out hits without an id or a version, which lead nowhere. */
export function parseSearch(document: JsonNode): FoundPackages {
  const packages = items(field(document, "data"), HITS_MAX).flatMap(foundPackage);
  return { totalHits: lenientCount(field(document, "totalHits")) ?? packages.length, packages };
}

export function parseAutocomplete(document: JsonNode): readonly string[] {
  return lenientTexts(field(document, "data"), VERSIONS_MAX);
}

function foundPackage(hit: JsonNode): readonly FoundPackage[] {
  const id = lenientText(lenientField(hit, "id"));
  const version = lenientText(lenientField(hit, "version"));
  if (id === undefined || version === undefined) return [];
  return [
    {
      id,
      version,
      ...describedBy(hit),
      downloads: lenientCount(field(hit, "totalDownloads")) ?? 0,
      versions: lenientItems(field(hit, "versions"), VERSIONS_MAX).flatMap(foundVersion),
    },
  ];
}

function foundVersion(node: JsonNode): FoundPackage["versions"] {
  const version = lenientText(lenientField(node, "version"));
  if (version === undefined) return [];
  return [{ version, downloads: lenientCount(lenientField(node, "downloads")) ?? 0 }];
}
