import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

/** One request as a client sent it. */
export type Recorded = {
  readonly method: string;
  /** The path of the request line, with its query. */
  readonly path: string;
  readonly accept: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly answered: Readonly<Record<string, string | string[] | undefined>>;
};

export type RecordingProxy = AsyncDisposable & {
  /** Without trailing slash. */
  readonly url: string;
  /** Requests since the last call, in order. */
  taken(): readonly Recorded[];
};

/**
 * Forwards every request unchanged, including `Host`, and records request and answer. With
 * `losesFirst` it replaces the first answer to that method by a 503.
 */
export async function openRecordingProxy(
  target: string,
  { losesFirst }: { readonly losesFirst?: string } = {},
): Promise<RecordingProxy> {
  const agent = new Agent({ keepAlive: true });
  let seen: Recorded[] = [];
  let hasLost = losesFirst === undefined;
  const server = createServer((incoming, outgoing) => {
    const isLost = !hasLost && incoming.method === losesFirst;
    hasLost ||= isLost;
    passOn({ incoming, outgoing, target, agent, isLost }, (recorded) => seen.push(recorded));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    taken() {
      const taken = seen;
      seen = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

type Exchange = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly target: string;
  readonly agent: Agent;
  readonly isLost: boolean;
};

function passOn(exchange: Exchange, seen: (record: Recorded) => void) {
  const { incoming, outgoing, target, agent, isLost } = exchange;
  const { method = "GET", url: path = "/", headers } = incoming;
  const { hostname, port } = new URL(target);
  const onward = request({ hostname, port, agent, method, path, headers }, (answer) => {
    const status = answer.statusCode ?? 0;
    seen({ method, path, accept: headers.accept, status, headers, answered: answer.headers });
    if (isLost) answer.resume().on("end", () => outgoing.writeHead(503).end());
    else answer.pipe(outgoing.writeHead(status, answer.headers));
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}
