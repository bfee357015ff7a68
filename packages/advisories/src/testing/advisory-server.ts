import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** Response for a path of the server. */
export type Served =
  | { readonly body: string | Uint8Array; readonly gzip?: true }
  | { readonly location: string }
  | { readonly status: number };

export type AdvisoryServer = AsyncDisposable & {
  /** Without trailing slash. */
  readonly url: string;
  /** By path; may change while it serves. */
  readonly pages: Map<string, Served>;
  /** Paths asked for so far, each with the status it got. */
  readonly requests: string[];
};

/** A place in the network that advisories come from, with entity tags as such places have. */
export async function openAdvisoryServer(): Promise<AdvisoryServer> {
  const pages = new Map<string, Served>();
  const requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "/";
    const served = pages.get(path) ?? { status: 404 };
    const answer = answerOf(served, incoming.headers["if-none-match"]);
    requests.push(`${path} ${answer.status}`);
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    pages,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerOf(
  served: Served,
  knownEtag: string | undefined,
): {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
} {
  if ("status" in served) return { status: served.status, headers: {} };
  if ("location" in served) return { status: 302, headers: { location: served.location } };
  const etag = `"${createHash("sha256").update(served.body).digest("hex")}"`;
  if (knownEtag === etag) return { status: 304, headers: { etag } };
  if (!served.gzip) return { status: 200, headers: { etag }, body: served.body };
  const headers = { etag, "content-encoding": "gzip" };
  return { status: 200, headers, body: gzipSync(served.body) };
}
