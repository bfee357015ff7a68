import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buildTarball } from "@sealhouse/npm-protocol/testing";

/** Answers instead of the registry; undefined: the registry answers. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A registry whose packages and faults a test decides. */
export type ScriptedRegistry = AsyncDisposable & {
  readonly url: string;
  /** Method and path of each request. */
  readonly requests: string[];
  readonly headers: IncomingMessage["headers"][];
  publish(name: string, ...versions: readonly string[]): void;
  /** Changes the packument of a package. */
  change(name: string, change: (document: Packument) => void): void;
  fault: Fault | undefined;
  /** Closes the port; connections end. */
  stop(): Promise<void>;
};

export type Packument = {
  name: string;
  "dist-tags": Record<string, string>;
  versions: Record<string, { dist: Record<string, unknown> } & Record<string, unknown>>;
  time: Record<string, string>;
};

export const PUBLISHED_AT = "2020-02-03T04:05:06.000Z";

export async function openScriptedRegistry(): Promise<ScriptedRegistry> {
  const packuments = new Map<string, Packument>();
  const tarballs = new Map<string, Buffer>();
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const registry = { fault: undefined as Fault | undefined };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    if (registry.fault?.(request, response)) return;
    const path = decodeURIComponent(request.url ?? "");
    const packument = packuments.get(path.slice(1));
    const document = path.startsWith("/-/v1/search?")
      ? searchResults(packuments.values(), new URL(path, url).searchParams)
      : packument;
    const body = tarballs.get(path) ?? (document && JSON.stringify(document));
    if (body === undefined) return void response.writeHead(404).end("{}");
    const bytes = Buffer.from(body);
    const etag = `"${createHash("sha1").update(bytes).digest("hex")}"`;
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304).end();
    response.writeHead(200, { etag, "content-length": bytes.length }).end(bytes);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return Object.assign(registry, {
    url,
    requests,
    headers,
    publish(name: string, ...versions: readonly string[]) {
      const packument = packuments.get(name) ?? emptyPackument(name);
      for (const version of versions) {
        const bytes = buildTarball({ name, version });
        const path = `/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
        tarballs.set(path, bytes);
        packument.versions[version] = {
          name,
          version,
          dist: {
            tarball: new URL(path, url).href,
            shasum: createHash("sha1").update(bytes).digest("hex"),
            integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
          },
        };
        packument.time[version] = PUBLISHED_AT;
        packument["dist-tags"]["latest"] = version;
      }
      packuments.set(name, packument);
    },
    change(name: string, change: (document: Packument) => void) {
      const packument = packuments.get(name);
      if (packument) change(packument);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  });
}

function emptyPackument(name: string): Packument {
  return { name, "dist-tags": {}, versions: {}, time: {} };
}

/** The packages whose name holds the text, page by page. */
function searchResults(packuments: Iterable<Packument>, query: URLSearchParams): object {
  const [from, size] = [Number(query.get("from")), Number(query.get("size"))];
  const [word = ""] = (query.get("text") ?? "").split(" ");
  const found = [...packuments].filter(({ name }) => name.includes(word));
  const objects = found.slice(from, from + size).map((packument) => {
    const { name, time } = packument;
    const version = packument["dist-tags"]["latest"] ?? "";
    const description = `${name} of the source`;
    const publisher = { username: "upstream-ann" };
    const links = { homepage: "https://packages.example" };
    // In the form of Verdaccio.
    if (name.endsWith("-bare")) {
      return {
        package: { name, "dist-tags": packument["dist-tags"], time: { modified: PUBLISHED_AT } },
      };
    }
    return { package: { name, version, description, date: time[version], publisher, links } };
  });
  return { objects, total: found.length };
}
