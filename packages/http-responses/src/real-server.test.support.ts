import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { request } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { serve } from "@hono/node-server";
import type { Hono } from "hono";
import type { ByteSource } from "./byte-range.ts";

/** A server on a free port, as the host runs one; disposing closes it with its connections.
 * `bindings`: values in the environment of each request. */
export async function openServer(app: Hono, bindings: object = {}) {
  const fetch = (asking: Request, env: object) => app.fetch(asking, { ...env, ...bindings });
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type Answer = {
  readonly status: number | undefined;
  readonly statusMessage: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Sends one request on a separate connection. */
export async function ask(
  port: number,
  options: RequestOptions & { readonly body?: Uint8Array | string } = {},
): Promise<Answer> {
  const asking = request({ port, host: "127.0.0.1", agent: false, ...options });
  asking.end(options.body);
  const answer = await answerTo(asking);
  const { statusCode: status, statusMessage, headers } = answer;
  return { status, statusMessage, headers, body: await buffer(answer) };
}

/** Resolves to the response of any request when its head arrives. */
export async function answerTo(asking: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.once("response", resolve).once("error", reject);
  });
}

/** Opens a connection on which a test can write invalid requests. */
export async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

/** A source that counts its readers, as a file driver its open handles. */
export function countedSource(bytes: Uint8Array, chunkSize = bytes.length || 1) {
  const seen = { opened: 0, open: 0, chunks: 0 };
  const source: ByteSource = {
    size: bytes.length,
    async *read(range) {
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      seen.opened += 1;
      seen.open += 1;
      try {
        for (let index = 0; index < part.length; index += chunkSize) {
          seen.chunks += 1;
          yield part.subarray(index, index + chunkSize);
        }
      } finally {
        seen.open -= 1;
      }
    },
  };
  return { source, seen };
}
