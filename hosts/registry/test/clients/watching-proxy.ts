import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request that went through, once it was answered. */
export type Watched = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Bytes of its body. */
  readonly sent: number;
  /** Bytes of the answer's body, so far. */
  received: number;
  /** The header of the request. */
  readonly range: string | undefined;
};

export type WatchingProxy = AsyncDisposable & {
  readonly url: string;
  /** Requests since the last call. */
  readonly take: () => readonly Watched[];
  /** Closes the connection once, after this number of bytes of the next longer answer. */
  readonly cutAfter: (bytes: number) => void;
};

/** Forwards requests with their host name, records them, and cuts an answer on request. */
export async function openWatchingProxy(target: string): Promise<WatchingProxy> {
  const { hostname, port } = new URL(target);
  let seen: Watched[] = [];
  let cutAt: number | undefined;

  const handOn = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url: path = "/", headers } = request;
    let sent = 0;
    const onward = ask({ hostname, port, method, path, headers, agent: false }, (answer) => {
      const { statusCode: status = 502 } = answer;
      const watched = { method, path, status, sent, received: 0, range: headers.range };
      seen.push(watched);
      response.writeHead(status, answer.headers);
      answer.on("data", (chunk: Buffer) => (watched.received += chunk.length));
      void give(answer, response).catch(() => response.destroy());
    });
    onward.on("error", () => response.destroy());
    request.on("data", (chunk: Buffer) => (sent += chunk.length)).pipe(onward);
  };
  const give = async (answer: IncomingMessage, response: ServerResponse): Promise<void> => {
    let sentBytes = 0;
    for await (const chunk of answer) {
      const bytes = chunk as Buffer;
      sentBytes += bytes.length;
      if (!response.write(bytes)) await once(response, "drain");
      if (cutAt === undefined || sentBytes < cutAt) continue;
      cutAt = undefined;
      response.destroy();
      return;
    }
    response.end();
  };

  const server = createServer(handOn).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    cutAfter(bytes) {
      cutAt = bytes;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
