import { address, count, entries, field, items, optionalTime, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";

export type AdvisoryPageLink = {
  readonly name: string;
  readonly url: URL;
  readonly updatedAt: Date | undefined;
};

export type FeedAdvisory = {
  /** Lower-cased. */
  readonly id: string;
  /** 0 low, 1 moderate, 2 high, 3 critical; whatever else a server writes. */
  readonly severity: number;
  readonly url: string;
  /** A version range. */
  readonly versions: string;
};

const PAGES_MAX = 16;
const PER_PACKAGE_MAX = 10_000;

export function parseAdvisoryIndex(document: JsonNode): readonly AdvisoryPageLink[] {
  return items(document, PAGES_MAX).map((page) => ({
    name: text(field(page, "@name")),
    url: address(field(page, "@id")),
    updatedAt: optionalTime(field(page, "@updated")),
  }));
}

/** An empty page is `{}`; some servers write `[]`. */
export function parseAdvisoryPage(document: JsonNode): readonly FeedAdvisory[] {
  if (Array.isArray(document.value) && document.value.length === 0) return [];
  return entries(document).flatMap(([id, list]) =>
    items(list, PER_PACKAGE_MAX).map((jsonNode) => ({
      id: id.toLowerCase(),
      severity: count(field(jsonNode, "severity")),
      url: text(field(jsonNode, "url")),
      versions: text(field(jsonNode, "versions")),
    })),
  );
}
