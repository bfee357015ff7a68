import {
  checkClientAddress,
  clientOptions,
  createExchange,
  mapRevised,
  openDownload,
} from "@sealhouse/http-responses/outgoing";
import type { CallOptions, Exchange } from "@sealhouse/http-responses/outgoing";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import { lowerVersion } from "../notation/package-version.ts";
import { parseAdvisoryIndex, parseAdvisoryPage } from "./advisories.ts";
import { followCatalog, parseCatalogLeaf } from "./catalog.ts";
import type {
  AdvisoryReads,
  CatalogReads,
  NamedVersion,
  NuGetClient,
  NuGetClientOptions,
  PackageChanges,
  PackageDocuments,
  SearchReads,
  SignatureReads,
  VersionReads,
} from "./client.ts";
import { failure } from "./client-error.ts";
import { parseVersions } from "./content.ts";
import { secretsOf } from "./credentials.ts";
import { changeVersion, push } from "./push.ts";
import type { Reader } from "./reader.ts";
import { createReader } from "./reader.ts";
import { parseRegistrationLeaf, readRegistration, revisedRegistration } from "./registration.ts";
import type { Resources } from "./resources.ts";
import { below, createResources } from "./resources.ts";
import { parseAutocomplete, parseSearch, queryUrl } from "./search.ts";
import { parseSignatures } from "./signatures.ts";

type Parts = {
  readonly exchange: Exchange;
  readonly reader: Reader;
  readonly resources: Resources;
  readonly pushUrl: URL | undefined;
  readonly now: () => Date;
};

const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;
const NUSPEC_BYTES_MAX = 1024 * 1024;
const CERTIFICATE_BYTES_MAX = 64 * 1024;
const README_BYTES_MAX = 4 * 1024 * 1024;

/**
 * A client of the feed with this service index. Nothing is asked for before the first call, and
 * there is nothing to close.
 * @throws {TypeError} for an address with credentials in it, or that is not http or https
 */
export function openNuGetClient(options: NuGetClientOptions): NuGetClient {
  const parts = partsOf(options);
  return {
    ...feedReads(parts),
    ...packageDocuments(parts),
    ...versionReads(parts),
    ...packageChanges(parts),
    resource: (name, read = {}) => parts.resources.find(name, read),
  };
}

function partsOf(options: NuGetClientOptions): Parts {
  const { source, documentBytesMax = DOCUMENT_BYTES_MAX } = options;
  checkClientAddress(source, ["source", "sources"]);
  const client = clientOptions(options);
  const exchange = createExchange({
    ...client,
    secrets: secretsOf({ credentials: options.credentials, apiKey: options.apiKey }),
    origins: new Set([source.origin, ...(options.alsoTrusted ?? [])]),
    isSecure: source.protocol === "https:",
    failure,
  });
  const { now } = client;
  const reader = createReader({ ...client, exchange, documentBytesMax, failure });
  const resources = createResources(source, { reader, now });
  return { exchange, reader, resources, pushUrl: options.pushUrl, now };
}

function feedReads({
  reader,
  resources,
}: Parts): SearchReads & AdvisoryReads & SignatureReads & CatalogReads {
  return {
    async search(query, read = {}) {
      const url = queryUrl(await resources.requireAccess("search", read), query);
      const document = await reader.json(url, read);
      return document ? parseSearch(document) : { totalHits: 0, packages: [] };
    },
    async ids({ text, ...query }, read = {}) {
      const endpoint = await resources.requireAccess("autocomplete", read);
      const url = queryUrl(endpoint, { ...query, text: text ?? "" });
      const document = await reader.json(url, read);
      return document ? parseAutocomplete(document) : [];
    },
    async listedVersions(id, read = {}) {
      const url = queryUrl(await resources.requireAccess("autocomplete", read), {});
      url.searchParams.set("id", id);
      const document = await reader.json(url, read);
      return document ? parseAutocomplete(document) : [];
    },
    async advisoryPages(read = {}) {
      const index = await resources.find("vulnerabilities", read);
      const document = index === undefined ? undefined : await reader.json(new URL(index), read);
      return document && parseAdvisoryIndex(document);
    },
    async advisories(page, read = {}) {
      const document = await reader.json(page.url, read);
      return document ? parseAdvisoryPage(document) : [];
    },
    async signatures(read = {}) {
      const url = await resources.find("signatures", read);
      const document = url === undefined ? undefined : await reader.json(new URL(url), read);
      return document && parseSignatures(document);
    },
    certificate: ({ contentUrl }, read = {}) =>
      reader.bytes(contentUrl, CERTIFICATE_BYTES_MAX, read),
    async *catalog(read = {}) {
      const index = new URL(await resources.requireAccess("catalog", read));
      yield* followCatalog(reader, index, read);
    },
    async catalogLeaf(url, read = {}) {
      const document = await reader.json(url, read);
      return document && parseCatalogLeaf(document);
    },
  };
}

function versionReads({ reader, resources }: Parts): VersionReads {
  return {
    async registrationLeaf(identity, read = {}) {
      const lower = lowered(identity);
      if (!lower) return undefined;
      const base = await resources.requireAccess("registration", read);
      const document = await reader.json(below(base, `${lower.id}/${lower.version}.json`), read);
      return document && parseRegistrationLeaf(document);
    },
    package: fileRead({ reader, resources }, "nupkg"),
    symbols: fileRead({ reader, resources }, "snupkg"),
    async nuspec(identity, read = {}) {
      const lower = lowered(identity);
      if (!lower) return undefined;
      const { id, version } = lower;
      const base = await resources.requireAccess("content", read);
      return reader.bytes(below(base, `${id}/${version}/${id}.nuspec`), NUSPEC_BYTES_MAX, read);
    },
    async readme(identity, read = {}) {
      const lower = lowered(identity);
      const template = lower && (await resources.find("readme", read));
      if (!lower || template === undefined) return undefined;
      const url = template
        .replaceAll("{lower_id}", lower.id)
        .replaceAll("{lower_version}", lower.version);
      const bytes = await reader.bytes(new URL(url), README_BYTES_MAX, read);
      return bytes && new TextDecoder().decode(bytes);
    },
  };
}

function packageDocuments({ reader, resources }: Parts): PackageDocuments {
  const indexOf = async (name: "content" | "registration", id: string, read: CallOptions) =>
    below(await resources.requireAccess(name, read), `${lowerId(id)}/index.json`);
  return {
    async versions(id, read = {}) {
      if (!isPackageId(id)) return undefined;
      const document = await reader.json(await indexOf("content", id, read), read);
      return document && parseVersions(document);
    },
    async revisedVersions(id, read = {}) {
      if (!isPackageId(id)) return undefined;
      const found = await reader.revised(await indexOf("content", id, read), read);
      return mapRevised(found, parseVersions);
    },
    async registration(id, read = {}) {
      if (!isPackageId(id)) return undefined;
      const index = { id, url: await indexOf("registration", id, read) };
      return readRegistration(reader, index, read);
    },
    async revisedRegistration(id, read = {}) {
      if (!isPackageId(id)) return undefined;
      const index = { id, url: await indexOf("registration", id, read) };
      return revisedRegistration(reader, index, read);
    },
  };
}

/** A file of a version in the flat container, as a stream. */
function fileRead(
  { reader, resources }: Pick<Parts, "reader" | "resources">,
  ending: "nupkg" | "snupkg",
): VersionReads["package"] {
  return async (identity, { maxBytes = Number.POSITIVE_INFINITY, ...read } = {}) => {
    const lower = lowered(identity);
    if (!lower) return undefined;
    const { id, version } = lower;
    const base = await resources.requireAccess("content", read);
    const url = below(base, `${id}/${version}/${id}.${version}.${ending}`);
    const answer = await reader.stream(url, read);
    return answer && openDownload(answer, { maxBytes, failure });
  };
}

function packageChanges(parts: Parts): PackageChanges {
  const { resources, pushUrl } = parts;
  const change: (method: "DELETE" | "POST") => PackageChanges["delete"] =
    (method) =>
    async (identity, send = {}) => {
      const lower = lowered(identity);
      if (!lower) return { status: "absent" };
      const base = pushUrl?.href ?? (await resources.requireAccess("push", send));
      return changeVersion(parts, method, below(base, `${lower.id}/${lower.version}`), send);
    };
  return {
    // NuGet's own clients add the slash, and some servers know nothing else.
    push: async (file, send = {}) => {
      const endpoint = pushUrl ?? below(await resources.requireAccess("push", send), "");
      return push(parts, endpoint, file, send);
    },
    pushSymbols: async (file, send = {}) =>
      push(parts, below(await resources.requireAccess("symbols", send), ""), file, send),
    delete: change("DELETE"),
    relist: change("POST"),
  };
}

/** As addresses have them; undefined for names that cannot exist. */
function lowered({ id, version }: NamedVersion): NamedVersion | undefined {
  const normal = lowerVersion(version);
  return isPackageId(id) && normal !== undefined ? { id: lowerId(id), version: normal } : undefined;
}
