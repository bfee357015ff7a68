import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { NpmSearchFilter, NpmSearchHit } from "./ports.ts";
import { rankOf } from "./ports.ts";

/** Score of a hit of each rank, between 0 and 1. */
const SCORES = [1, 0.6, 0.3] as const;

export type ShownAs = {
  readonly query: Pick<NpmSearchFilter, "text" | "boostExact">;
  /** The number of dependents counts packages that the caller may not see. */
  readonly hasDependents: boolean;
  readonly now: Date;
};

/** The public registry's shape. Every list is a list: npm maps over `maintainers` unasked. */
export function searchResults(
  page: { readonly total: number; readonly hits: readonly NpmSearchHit[] },
  { query, hasDependents, now }: ShownAs,
): JsonObject {
  const objects = page.hits.map((hit) => ({
    ...objectOf(hit, SCORES[rankOf(hit.name, query)]),
    ...(hasDependents && { dependents: hit.dependents }),
  }));
  return { objects, total: page.total, time: minuteOf(now) };
}

function objectOf(hit: NpmSearchHit, score: number): JsonObject {
  const { name, version, description, keywords, publishedAt } = hit;
  const manifest = JSON.parse(hit.manifest) as JsonObject;
  const date = publishedAt.toISOString();
  return {
    package: {
      name,
      scope: /^@([^/]+)\//.exec(name)?.[1] ?? "unscoped",
      version,
      description,
      keywords,
      date,
      license: typeof manifest["license"] === "string" ? manifest["license"] : undefined,
      sanitized_name: name,
      publisher: userOf(manifest["_npmUser"]),
      maintainers: (hit.maintainers ?? listOf(manifest["maintainers"])).map(userOf),
      links: linksOf(manifest),
    },
    score: { final: score, detail: { quality: score, popularity: score, maintenance: score } },
    searchScore: score,
    updated: date,
    flags: { insecure: 0 },
  };
}

/** In whole minutes: a search that is repeated while a user types is the same document. */
function minuteOf(now: Date): string {
  return `${now.toISOString().slice(0, 16)}:00.000Z`;
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
