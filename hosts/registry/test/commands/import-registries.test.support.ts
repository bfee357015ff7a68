import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createNpmApp } from "@sealhouse/npm-protocol";
import {
  buildTarball,
  createMemoryNpmPorts,
  provenanceBundle,
  publishBody,
} from "@sealhouse/npm-protocol/testing";
import { openHost } from "./import-hosts.test.support.ts";

/** A separate host, used only by `import npm`. */
export function openNpmHost() {
  return openHost("npm");
}

export type SourceRegistry = AsyncDisposable & {
  readonly url: string;
  /** Paths with their queries. */
  readonly requests: string[];
  /** Requests whose path fits are answered with something else. */
  readonly failing: { path: RegExp };
  /** Names in the answer of `/-/all`; undefined when the registry does not list names. */
  readonly listed: { names: readonly string[] };
  readonly publishedAt: Date;
  fill(name: string, ...versions: readonly string[]): Promise<void>;
  fillWithProvenance(name: string, version: string): Promise<void>;
};

/**
 * Our own registry in the role of a foreign registry, over a socket. With a token it refuses
 * anonymous requests.
 */
export async function openRegistry(token?: string): Promise<SourceRegistry> {
  const publishedAt = new Date("2019-08-07T06:05:04.000Z");
  const ports = createMemoryNpmPorts({
    now: () => publishedAt,
    address: (request) => ({ base: `${new URL(request.url).origin}/npm`, cacheable: true }),
  });
  const app = createNpmApp(ports, {
    basePath: "/npm",
    anonymousRead: true,
    now: () => publishedAt,
  });
  const requests: string[] = [];
  const failing = { path: /never/ };
  const listed: SourceRegistry["listed"] = { names: [] };
  const answer = getRequestListener((request) => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${pathname}${search}`);
    if (failing.path.test(pathname)) return new Response("something else");
    const isKnown = request.headers.get("authorization") === `Bearer ${token}`;
    if (token !== undefined && !isKnown) return new Response("", { status: 401 });
    if (pathname.endsWith("/-/all") && listed.names.length > 0) {
      return Response.json(Object.fromEntries(listed.names.map((name) => [name, { name }])));
    }
    return app.fetch(request);
  });
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const put = async (name: string, body: string) => {
    const headers = { "content-type": "application/json" };
    const path = `/npm/${name.replace("/", "%2f")}`;
    const response = await app.request(path, { method: "PUT", headers, body });
    if (!response.ok) throw new Error(await response.text());
  };
  return {
    url: `http://127.0.0.1:${port}/npm/`,
    requests,
    failing,
    listed,
    publishedAt,
    async fill(name, ...versions) {
      for (const version of versions) await put(name, publishBody({ name, version }));
    },
    async fillWithProvenance(name, version) {
      const tarball = buildTarball({ name, version });
      const sha512 = createHash("sha512").update(tarball).digest("hex");
      const provenance = provenanceBundle({ name, version, sha512 });
      await put(name, publishBody({ name, version, tarball, provenance }));
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
