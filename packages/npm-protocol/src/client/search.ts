import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import type { JsonObject } from "../json.ts";
import { isObject, stringListOf } from "../json.ts";
import type { Addresses } from "./addresses.ts";
import type { Maintainer } from "../owners/ports.ts";
import { malformed } from "./client-error.ts";
import { dateOf, listOf, textsIn } from "./packument-document.ts";
import type { Reader } from "./reader.ts";

export type RegistryQuery = {
  /** With the registry's qualifiers: `scope:acme`. */
  readonly text: string;
  readonly from?: number;
  readonly size?: number;
};

export type FoundPackage = {
  /** The unchanged answer of the registry. */
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly publishedAt?: Date;
  readonly maintainers: readonly Maintainer[];
  /** The fields of the manifest of that version that the answer has. */
  readonly manifest: JsonObject;
};

export type FoundPackages = {
  /** Some registries tell the number of this page. */
  readonly total: number;
  readonly packages: readonly FoundPackage[];
};

export type SearchParts = { readonly reader: Reader; readonly addresses: Addresses };

const PAGE_SIZE = 250;
const PAGES_MAX = 20_000;
const OBJECTS_MAX = 10_000;

/** One page. A registry without a search finds nothing. */
export async function searchPage(
  { reader, addresses }: SearchParts,
  { text, from, size }: RegistryQuery,
  read: CallOptions,
): Promise<FoundPackages> {
  const url = addresses.endpoint("v1/search");
  url.searchParams.set("text", text);
  if (size !== undefined) url.searchParams.set("size", String(size));
  if (from !== undefined) url.searchParams.set("from", String(from));
  const document = await reader.object(url, read);
  if (!document) return { total: 0, packages: [] };
  const { objects, total } = document;
  const entries = listOf(objects);
  if (!Array.isArray(objects) || entries.length > OBJECTS_MAX) {
    throw malformed(url, `"objects" is not a list of at most ${OBJECTS_MAX} packages`);
  }
  const packages = entries.flatMap((entry) => {
    const hit = isObject(entry) ? entry["package"] : undefined;
    return isObject(hit) ? foundPackage(hit) : [];
  });
  return { total: typeof total === "number" ? total : packages.length, packages };
}

/** All that a search finds, each name once. A page that brings nothing new is the end: some
 * registries give the same page again and again. */
export async function* searchAll(
  parts: SearchParts,
  text: string,
  read: CallOptions,
): AsyncGenerator<FoundPackage, void, undefined> {
  const seen = new Set<string>();
  for (let page = 0, from = 0; page < PAGES_MAX; page++) {
    const { packages } = await searchPage(parts, { text, from, size: PAGE_SIZE }, read);
    const fresh = packages.filter(({ name }) => !seen.has(name));
    if (fresh.length === 0) return;
    for (const listedPackage of fresh) {
      if (seen.has(listedPackage.name)) continue;
      seen.add(listedPackage.name);
      yield listedPackage;
    }
    from += packages.length;
  }
}

/**
 * Names in the answer of `/-/all`, which Verdaccio still has. Unchanged: names that are invalid
 * here may be valid there.
 */
export async function listAll(
  { reader, addresses }: SearchParts,
  read: CallOptions,
): Promise<readonly string[] | undefined> {
  const document = await reader.object(addresses.endpoint("all"), read);
  if (!document) return undefined;
  return Object.keys(document).filter((name) => isObject(document[name]));
}

function foundPackage(hit: JsonObject): readonly FoundPackage[] {
  const { name, description, keywords, date, maintainers, time } = hit;
  if (typeof name !== "string") return [];
  // Verdaccio has neither a version nor a date, but parts of the packument.
  const version = hit["version"] ?? textsIn(hit["dist-tags"]).get("latest");
  const publishedAt = dateOf(date ?? textsIn(time).get("modified"));
  return [
    {
      name,
      version: typeof version === "string" ? version : undefined,
      description: typeof description === "string" ? description : "",
      keywords: stringListOf(keywords),
      ...(publishedAt && { publishedAt }),
      maintainers: listOf(maintainers).flatMap(personOf),
      manifest: manifestOf({ ...hit, version }),
    },
  ];
}

function personOf(user: unknown): readonly Maintainer[] {
  const { username, email } = isObject(user) ? user : {};
  if (typeof username !== "string") return [];
  return [{ name: username, ...(typeof email === "string" && { email }) }];
}

function manifestOf({ name, version, license, publisher, links }: JsonObject): JsonObject {
  const { homepage, repository, bugs } = isObject(links) ? links : {};
  const [publishedBy] = personOf(publisher);
  return {
    name,
    version,
    ...(typeof license === "string" && { license }),
    ...(isWebAddress(homepage) && { homepage }),
    ...(isWebAddress(repository) && { repository }),
    ...(isWebAddress(bugs) && { bugs }),
    ...(publishedBy && { _npmUser: publishedBy }),
  };
}

function isWebAddress(value: unknown): boolean {
  return typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? "");
}
