import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { NpmSearchHit } from "../ports.ts";
import { NpmError } from "../errors.ts";

export type SearchQuery = { readonly text: string; readonly from: number; readonly size: number };

const SIZE_DEFAULT = 20;
const SIZE_MAX = 250;
const FROM_MAX = 10_000;
const TEXT_MAX = 500;

/** Reads `text`, `size` and `from`; the weights that npm sends along have no meaning here. */
export function parseSearchQuery(parameters: URLSearchParams): SearchQuery {
  const text = parameters.get("text");
  if (text === null) throw new NpmError("query-invalid", "'text' query parameter is required");
  return {
    text: text.slice(0, TEXT_MAX).trim(),
    from: Math.min(countOf(parameters.get("from"), 0), FROM_MAX),
    size: Math.min(countOf(parameters.get("size"), SIZE_DEFAULT), SIZE_MAX),
  };
}

/** The public registry's shape. Every list is a list: npm maps over `maintainers` unasked. */
export function searchResults(
  found: { readonly total: number; readonly hits: readonly NpmSearchHit[] },
  now: Date,
): JsonObject {
  return { objects: found.hits.map(objectOf), total: found.total, time: now.toISOString() };
}

function objectOf(hit: NpmSearchHit): JsonObject {
  const { name, version, description, keywords, publishedAt } = hit;
  const manifest = JSON.parse(hit.manifest) as JsonObject;
  const date = publishedAt.toISOString();
  return {
    package: {
      name,
      version,
      description,
      keywords,
      date,
      license: typeof manifest["license"] === "string" ? manifest["license"] : undefined,
      sanitized_name: name,
      publisher: userOf(manifest["_npmUser"]),
      maintainers: listOf(manifest["maintainers"]).map(userOf),
      links: linksOf(manifest),
    },
    score: { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } },
    searchScore: 1,
    updated: date,
    flags: { insecure: 0 },
  };
}

function linksOf({ homepage, repository, bugs }: JsonObject): JsonObject {
  return {
    homepage: addressOf(homepage),
    repository: addressOf(repository),
    bugs: addressOf(bugs),
  };
}

function addressOf(value: unknown): string | undefined {
  const address = isObject(value) ? value["url"] : value;
  return typeof address === "string" ? address : undefined;
}

function userOf(user: unknown): JsonObject {
  const { name, email } = isObject(user) ? user : {};
  return { username: name, email };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function countOf(text: string | null, fallback: number): number {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : fallback;
}
