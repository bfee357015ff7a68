import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import { NuGetClientError } from "./client-error.ts";
import { field, items, malformed, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";
import { lenientField, lenientText, lenientTexts } from "./lenient-fields.ts";
import type { Reader } from "./reader.ts";

/** Type strings per resource, the one clients like best first. */
const TYPES = {
  content: ["PackageBaseAddress/3.0.0"],
  registration: [
    "RegistrationsBaseUrl/Versioned",
    "RegistrationsBaseUrl/3.6.0",
    "RegistrationsBaseUrl/3.4.0",
    "RegistrationsBaseUrl/3.0.0-rc",
    "RegistrationsBaseUrl/3.0.0-beta",
    "RegistrationsBaseUrl",
  ],
  search: [
    "SearchQueryService/3.5.0",
    "SearchQueryService/3.4.0",
    "SearchQueryService/3.0.0-rc",
    "SearchQueryService/3.0.0-beta",
    "SearchQueryService",
  ],
  autocomplete: [
    "SearchAutocompleteService/3.5.0",
    "SearchAutocompleteService/3.0.0-rc",
    "SearchAutocompleteService/3.0.0-beta",
    "SearchAutocompleteService",
  ],
  push: ["PackagePublish/2.0.0"],
  symbols: ["SymbolPackagePublish/4.9.0"],
  signatures: [
    "RepositorySignatures/5.0.0",
    "RepositorySignatures/4.9.0",
    "RepositorySignatures/4.7.0",
  ],
  vulnerabilities: ["VulnerabilityInfo/6.7.0"],
  readme: ["ReadmeUriTemplate/6.13.0"],
  catalog: ["Catalog/3.0.0"],
} as const satisfies Record<string, readonly string[]>;

export type ResourceName = keyof typeof TYPES;

export type Resources = {
  /** The address, or the template, of a resource; undefined when the feed does not offer it. */
  find(name: ResourceName, options: CallOptions): Promise<string | undefined>;
  /** @throws {NuGetClientError} `unsupported` */
  requireAccess(name: ResourceName, options: CallOptions): Promise<string>;
};

type Entry = { readonly type: string; readonly url: string };

const ENTRIES_MAX = 1_000;
const KEPT_MS = 30 * 60_000;

/** The service index, read when it is first needed and again after half an hour. */
export function createResources(
  source: URL,
  { reader, now }: { readonly reader: Reader; readonly now: () => Date },
): Resources {
  let cache: { readonly entries: readonly Entry[]; readonly untilMs: number } | undefined;
  const entriesOf = async (options: CallOptions) => {
    if (cache && now().getTime() < cache.untilMs) return cache.entries;
    const document = await reader.json(source, options);
    if (!document) {
      const reason = "there is no service index (404)";
      throw new NuGetClientError("status", { url: source, reason, status: 404 });
    }
    cache = { entries: parseServiceIndex(document), untilMs: now().getTime() + KEPT_MS };
    return cache.entries;
  };
  const find: Resources["find"] = async (name, options) => {
    const entries = await entriesOf(options);
    for (const type of TYPES[name]) {
      const match = entries.find((entry) => entry.type === type);
      if (match) return match.url;
    }
    return undefined;
  };
  return {
    find,
    async requireAccess(name, options) {
      const url = await find(name, options);
      if (url !== undefined) return url;
      const reason = `the feed does not offer ${TYPES[name][0]}`;
      throw new NuGetClientError("unsupported", { url: source, reason });
    },
  };
}

/** Ignores entries without an absolute address or a type, as NuGet itself does. */
function parseServiceIndex(document: JsonNode): readonly Entry[] {
  const version = field(document, "version");
  if (!/^3\.\d+\.\d+/.test(text(version))) throw malformed(version, "a version 3 of the protocol");
  return items(field(document, "resources"), ENTRIES_MAX).flatMap((resource) => {
    const url = lenientText(lenientField(resource, "@id"));
    if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return [];
    const types = lenientTexts(lenientField(resource, "@type"), ENTRIES_MAX);
    return types.map((type) => ({ type, url }));
  });
}

/** A document below a base address, whether or not that ends with a slash. */
export function below(base: string, path: string): URL {
  return new URL(`${base.replace(/\/+$/, "")}/${path}`);
}
