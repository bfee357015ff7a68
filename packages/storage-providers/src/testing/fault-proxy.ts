import { createServer, request as connect } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** A fault that a proxy puts between a driver and its service. */
export type Fault =
  /** Answers by itself; the service gets nothing. */
  | {
      readonly type: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Accepts the request and never answers. */
  | { readonly type: "silence" }
  /** Ends the connection before the service gets the request. */
  | { readonly type: "reset" }
  /** The service gets the request, and the connection ends before its answer. */
  | { readonly type: "lost-answer" }
  /** Ends the connection after `afterBytes` of the request's body. */
  | { readonly type: "cut-request"; readonly afterBytes: number }
  /** Ends the connection after `afterBytes` of the answer's body. */
  | { readonly type: "cut-answer"; readonly afterBytes: number }
  /** Sends `afterBytes` of the answer's body, and keeps the connection open. */
  | { readonly type: "stall-answer"; readonly afterBytes: number };

/** A request that a proxy has received. */
export type ProxiedRequest = { readonly method: string; readonly url: string };

/** A running proxy. */
export type FaultProxy = AsyncDisposable & {
  readonly url: string;
  /** All requests since the start. */
  readonly requests: ProxiedRequest[];
  /** Chooses the fault of a request; undefined passes it on. */
  faultOf: (request: ProxiedRequest) => Fault | undefined;
};

/** Starts a proxy in front of an HTTP service: an origin, without a path. Bodies are streamed. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const requests: ProxiedRequest[] = [];
  const server = createServer((request, response) => {
    const received = { method: request.method ?? "GET", url: request.url ?? "/" };
    requests.push(received);
    handle({ request, response, target }, proxy.faultOf(received));
  });
  const proxy: FaultProxy = {
    url: await listen(server),
    requests,
    faultOf: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return `http://127.0.0.1:${address.port}`;
}

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
};

function handle(exchange: Exchange, fault: Fault | undefined): void {
  const { request, response } = exchange;
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  switch (fault?.type) {
    case "answer":
      // Reads the body first, as a service does, so that the client gets the answer.
      request.resume().once("end", () => {
        response.writeHead(fault.status, fault.headers).end(fault.body);
      });
      return;
    case "silence":
      request.resume();
      return;
    case "reset":
      request.socket.destroy();
      return;
    case undefined:
    case "lost-answer":
    case "cut-request":
    case "cut-answer":
    case "stall-answer":
      forward(exchange, fault);
  }
}

function forward({ request, response, target }: Exchange, fault: Fault | undefined): void {
  const { hostname, port } = new URL(target);
  const { method, url, headers, socket } = request;
  // The `Host` stays that of the proxy: some services put it into the addresses that they answer.
  const outgoing = connect({ hostname, port, method, path: url, headers, agent: false });
  outgoing.on("error", () => socket.destroy());
  let sent = 0;
  request.on("data", (chunk: Buffer) => {
    sent += chunk.length;
    if (fault?.type === "cut-request" && sent > fault.afterBytes) {
      outgoing.destroy();
      socket.destroy();
    } else if (!outgoing.write(chunk)) {
      request.pause();
      outgoing.once("drain", () => request.resume());
    }
  });
  request.on("end", () => outgoing.end());
  // A client that is gone in the middle of its body ends the request of the service, too.
  request.on("close", () => {
    if (!request.complete) outgoing.destroy();
  });
  outgoing.on("response", (incoming) => {
    if (fault?.type === "lost-answer") {
      incoming.resume().once("end", () => socket.destroy());
      return;
    }
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    sendBack(incoming, response, fault);
  });
}

function sendBack(
  incoming: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  const isLimited = fault?.type === "cut-answer" || fault?.type === "stall-answer";
  let left = isLimited ? fault.afterBytes : Number.POSITIVE_INFINITY;
  response.once("close", () => incoming.destroy());
  incoming.on("error", () => response.destroy());
  incoming.on("data", (chunk: Buffer) => {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0 && !response.write(part)) {
      incoming.pause();
      response.once("drain", () => incoming.resume());
    }
    if (part.length < chunk.length) endBody(incoming, response, fault);
  });
  incoming.on("end", () => response.end());
}

function endBody(
  incoming: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  incoming.removeAllListeners("data").removeAllListeners("end").pause();
  // Lets the bytes before the cut arrive.
  if (fault?.type === "cut-answer") setImmediate(() => response.socket?.destroySoon());
}
