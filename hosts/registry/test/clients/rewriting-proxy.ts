import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { TestHost } from "../../src/testing/index.ts";
import type { ServerCertificate } from "./signed-feed.ts";

/** Gives the answer that a client gets to `path` instead of the host's. */
export type Rewrite = (path: string, answer: Response) => Response | Promise<Response>;

/**
 * A stand-in for a feed with wrong answers: a reverse proxy over https that forwards each GET to
 * the host and changes the answer.
 */
export async function openRewritingProxy(
  host: Pick<TestHost, "fetch">,
  tls: ServerCertificate,
  rewrite: Rewrite,
): Promise<AsyncDisposable & { readonly url: string }> {
  const [cert, key] = await Promise.all([readFile(tls.certificate), readFile(tls.key)]);
  const server = createServer({ cert, key }, (request, response) => {
    const path = request.url ?? "/";
    const headers = {
      "x-forwarded-proto": "https",
      "x-forwarded-host": request.headers.host ?? "",
    };
    void host
      .fetch(path, { headers })
      .then((answer) => rewrite(path, answer))
      .then(async (answer) => {
        const body = Buffer.from(await answer.arrayBuffer());
        const type = answer.headers.get("content-type") ?? "application/octet-stream";
        response.writeHead(answer.status, { "content-type": type, "content-length": body.length });
        response.end(body);
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `https://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
