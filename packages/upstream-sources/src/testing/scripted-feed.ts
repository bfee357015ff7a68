import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";

/** A version that the feed has. */
export type ScriptedVersion = {
  readonly bytes: Uint8Array;
  readonly published: string;
  readonly listed: boolean;
  /** Further fields of its catalog entry. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Hash in its catalog leaf; the right one by default. */
  readonly hash?: string;
  /** Its manifest, as the feed serves it. Absent by default. */
  readonly nuspec?: Uint8Array;
};

export type Resource = keyof typeof TYPES;

/** A page of the vulnerability index. */
export type ScriptedAdvisories = {
  readonly updated: string;
  readonly advisories: Readonly<Record<string, readonly object[]>>;
};

/** A static feed on loopback whose answers a test can replace. */
export type ScriptedFeed = AsyncDisposable & {
  /** The service index. */
  readonly url: URL;
  readonly origin: string;
  /** Paths in order. */
  readonly requests: string[];
  /** Values of `authorization`, by path. */
  readonly credentials: Map<string, string | undefined>;
  readonly versions: Map<string, Map<string, ScriptedVersion>>;
  /** In its list of repository signatures, DER. */
  readonly certificates: Uint8Array[];
  /** Pages of its vulnerability index, by name. */
  readonly vulnerabilities: Map<string, ScriptedAdvisories>;
  put(id: string, version: string, fields?: Partial<ScriptedVersion>): void;
  /** Answers instead of the feed when it returns true. */
  answer: (path: string, outgoing: ServerResponse) => boolean;
  /** Origin of all resources but the service index, when it is another server. */
  resourcesAt: string | undefined;
  close(): Promise<void>;
};

const TYPES = {
  content: ["PackageBaseAddress/3.0.0", "/flat/"],
  registration: ["RegistrationsBaseUrl/3.6.0", "/registration/"],
  catalog: ["Catalog/3.0.0", "/catalog/index.json"],
  search: ["SearchQueryService/3.5.0", "/search"],
  signatures: ["RepositorySignatures/5.0.0", "/signatures/index.json"],
  readme: ["ReadmeUriTemplate/6.13.0", "/readmes/{lower_id}/{lower_version}"],
  vulnerabilities: ["VulnerabilityInfo/6.7.0", "/vulnerabilities/index.json"],
} as const satisfies Record<string, readonly [type: string, path: string]>;

export async function openScriptedFeed(
  resources: readonly Resource[] = ["content", "registration"],
  { pageSize = 0 }: { readonly pageSize?: number } = {},
): Promise<ScriptedFeed> {
  const versions: ScriptedFeed["versions"] = new Map();
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    feed.requests.push(path);
    feed.credentials.set(path, incoming.headers.authorization);
    if (feed.answer(path, outgoing)) return;
    respond(feed, { incoming, outgoing, resources, pageSize });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  const feed: ScriptedFeed = {
    url: new URL(`${origin}/v3/index.json`),
    origin,
    requests: [],
    credentials: new Map(),
    versions,
    certificates: [],
    vulnerabilities: new Map(),
    put(id, version, fields = {}) {
      const ofId = versions.get(id.toLowerCase()) ?? new Map<string, ScriptedVersion>();
      ofId.set(version, {
        bytes: buildNupkg({ id, version }),
        published: "2020-03-04T05:06:07.000Z",
        listed: true,
        entry: { id },
        ...fields,
      });
      versions.set(id.toLowerCase(), ofId);
    },
    answer: () => false,
    resourcesAt: undefined,
    close,
    [Symbol.asyncDispose]: close,
  };
  return feed;
}

type Request = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly resources: readonly Resource[];
  readonly pageSize: number;
};

function respond(feed: ScriptedFeed, request: Request): void {
  const { outgoing } = request;
  const found = contentOf(feed, request, new URL(request.incoming.url ?? "", feed.origin));
  if (found === undefined) outgoing.writeHead(404).end();
  else if (found instanceof Uint8Array) {
    outgoing.writeHead(200, { "content-length": found.length }).end(found);
  } else {
    const text = JSON.stringify(found);
    const etag = `"${createHash("sha256").update(text).digest("hex")}"`;
    if (request.incoming.headers["if-none-match"] === etag) outgoing.writeHead(304).end();
    else outgoing.writeHead(200, { "content-type": "application/json", etag }).end(text);
  }
}

function contentOf(
  feed: ScriptedFeed,
  { resources, pageSize }: Pick<Request, "resources" | "pageSize">,
  url: URL,
): Uint8Array | object | undefined {
  if (url.pathname === "/search") return searchAnswer(feed, url);
  if (url.pathname === "/v3/index.json") return serviceIndex(feed, resources);
  const [, folder = "", id = "", file = "", part = ""] = url.pathname.split("/");
  if (folder === "vulnerabilities") return vulnerabilitiesOf(feed, id);
  return folder === "signatures"
    ? signaturesOf(feed, id)
    : fileOf(feed, { folder, id, file, part, pageSize });
}

function fileOf(
  feed: ScriptedFeed,
  asked: {
    readonly folder: string;
    readonly id: string;
    readonly file: string;
    readonly part: string;
    readonly pageSize: number;
  },
): Uint8Array | object | undefined {
  const { folder, id, file, part } = asked;
  const ofId = feed.versions.get(id);
  if (!ofId) return undefined;
  switch (folder) {
    case "flat":
      if (file === "index.json") return { versions: [...ofId.keys()] };
      if (part.endsWith(".nuspec")) return ofId.get(file)?.nuspec;
      return part.endsWith(".nupkg") ? ofId.get(file)?.bytes : undefined;
    case "registration":
      return registrationOf(feed, asked);
    case "readmes":
      return ofId.has(file) ? Buffer.from(`# ${id} ${file}`) : undefined;
    case "catalog":
      return leafOf(id, file, ofId.get(file));
    default:
      return undefined;
  }
}

function vulnerabilitiesOf({ origin, vulnerabilities }: ScriptedFeed, file: string) {
  if (file !== "index.json") return vulnerabilities.get(file.replace(".json", ""))?.advisories;
  return [...vulnerabilities].map(([name, { updated }]) => ({
    "@name": name,
    "@id": `${origin}/vulnerabilities/${name}.json`,
    "@updated": updated,
  }));
}

function signaturesOf({ origin, certificates }: ScriptedFeed, file: string) {
  if (file !== "index.json") return certificates[Number.parseInt(file, 10)];
  return {
    allRepositorySigned: true,
    signingCertificates: certificates.map((_, index) => ({
      fingerprints: {},
      subject: "CN=Upstream",
      issuer: "CN=Upstream",
      notBefore: "2020-01-01T00:00:00Z",
      notAfter: "2021-01-01T00:00:00Z",
      contentUrl: `${origin}/signatures/${index}.crt`,
    })),
  };
}

/** Finds ids with the text; a page of `skip` and `take`. */
function searchAnswer({ versions }: ScriptedFeed, { searchParams }: URL): object {
  const text = searchParams.get("q")?.toLowerCase() ?? "";
  const found = [...versions].filter(([id]) => id.includes(text));
  const skip = Number(searchParams.get("skip") ?? 0);
  const page = found.slice(skip, skip + Number(searchParams.get("take") ?? 20));
  return {
    totalHits: found.length,
    data: page.map(([id, ofId]) => ({
      id: ofId.values().next().value?.entry["id"] ?? id,
      version: [...ofId.keys()].at(-1),
      description: `From a source: ${id}`,
      totalDownloads: 5,
      versions: [...ofId.keys()].map((version) => ({ version, downloads: 5 })),
    })),
  };
}

function serviceIndex(feed: ScriptedFeed, resources: readonly Resource[]): object {
  return {
    version: "3.0.0",
    resources: resources.map((name) => {
      const [type, path] = TYPES[name];
      return { "@type": type, "@id": `${feed.resourcesAt ?? feed.origin}${path}` };
    }),
  };
}

function registrationOf(
  { origin, versions }: ScriptedFeed,
  asked: {
    readonly id: string;
    readonly file: string;
    readonly part: string;
    readonly pageSize: number;
  },
): object | undefined {
  const { id, file, part, pageSize } = asked;
  const items = [...(versions.get(id) ?? [])].map(([version, { published, listed, entry }]) => ({
    "@id": `${origin}/registration/${id}/${version}.json`,
    catalogEntry: {
      "@id": `${origin}/catalog/${id}/${version}`,
      id,
      version,
      listed,
      published,
      authors: "acme",
      description: `About ${id}.`,
      ...entry,
    },
    packageContent: `${origin}/flat/${id}/${version}/${id}.${version}.nupkg`,
  }));
  if (pageSize === 0) return file === "index.json" ? { items: [{ items }] } : undefined;
  const pages = Array.from({ length: Math.ceil(items.length / pageSize) }, (_, page) =>
    items.slice(page * pageSize, (page + 1) * pageSize),
  );
  if (file === "page") return { items: pages[Number.parseInt(part, 10)] };
  if (file !== "index.json") return undefined;
  const link = (page: number) => `${origin}/registration/${id}/page/${page}.json`;
  return { items: pages.map((page, index) => ({ "@id": link(index), count: page.length })) };
}

function leafOf(id: string, version: string, scripted: ScriptedVersion | undefined) {
  if (!scripted) return undefined;
  const { bytes, hash = createHash("sha512").update(bytes).digest("base64") } = scripted;
  return { id, version, packageHash: hash, packageSize: bytes.length };
}
