import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import { once } from "node:events";

export type StandInAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** A server of this machine. `"silence"` keeps the caller waiting until the server closes. */
export async function startStandIn(
  answer: (request: IncomingMessage, body: Buffer) => StandInAnswer | "silence",
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: readonly Buffer[]) => {
      const reply = answer(request, Buffer.concat(chunks));
      if (reply === "silence") return;
      response.writeHead(reply.status, reply.headers).end(reply.body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
