import { parseQueryText } from "../search/query.ts";
import type { CompletionQuery, SearchQuery } from "../search/ports.ts";
import type { CatalogPorts } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";
import type { GivenPackage } from "./new-package.ts";

// What the contract cases of searching share.

export type SearchPackage = readonly [id: string, version: string, overrides?: GivenPackage];

const EVERY_VERSION = { skip: 0, take: 20, prerelease: true, semVer2: true };

/** The query for a typed text: the first 20 hits, with prereleases and SemVer 2.0.0. */
export function queryFor(text: string, overrides: Partial<SearchQuery> = {}): SearchQuery {
  return { ...EVERY_VERSION, conditions: parseQueryText(text), ...overrides };
}

export function completionOf(
  prefix: string,
  overrides: Partial<CompletionQuery> = {},
): CompletionQuery {
  return { ...EVERY_VERSION, prefix, ...overrides };
}

export async function fill(
  { recorder }: CatalogPorts,
  packages: readonly SearchPackage[],
): Promise<void> {
  for (const [id, version, overrides] of packages) {
    await recorder.record(newPackage({ id, version }, overrides), testCaller);
  }
}

export async function idsFor(
  { search }: CatalogPorts,
  text: string,
  overrides: Partial<SearchQuery> = {},
): Promise<string[]> {
  const { totalHits, hits } = await search.search(queryFor(text, overrides));
  if (totalHits < hits.length) throw new Error(`${hits.length} hits of ${totalHits} for "${text}"`);
  return hits.map((hit) => hit.id);
}
