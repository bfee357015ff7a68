import type { IncomingMessage, ServerResponse } from "node:http";

/** Connection of a request, read from Node's request or, without a socket, from the `Request`. */
export type RequestConnection = {
  readonly protocol: "http" | "https";
  /** As the client named it, with port; empty when it named none. */
  readonly host: string;
  /** IP address of the peer; undefined without a socket. */
  readonly peer?: string;
  readonly header: (name: string) => string | undefined;
};

/** Node's request and response, which the HTTP server passes with each `Request`. */
export type Bindings = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/** Reads the connection of a request. Without a socket in `env`, host and protocol come from the
 * URL. */
export function connectionOf(request: Request, env: unknown): RequestConnection {
  const bindings = parseBindings(env);
  if (bindings) return connectionOfIncoming(bindings.incoming);
  const url = new URL(request.url);
  return {
    protocol: url.protocol === "https:" ? "https" : "http",
    host: url.host,
    header: (name) => request.headers.get(name) ?? undefined,
  };
}

/** Reads the connection of Node's request. */
export function connectionOfIncoming(incoming: IncomingMessage): RequestConnection {
  const { socket, headers } = incoming;
  const peer = socket.remoteAddress;
  const protocol = "encrypted" in socket && socket.encrypted === true ? "https" : "http";
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  const host = headers.host ?? "";
  return peer === undefined ? { protocol, host, header } : { protocol, host, header, peer };
}

/** Undefined for a request that came without a socket, as in a test. */
export function parseBindings(env: unknown): Bindings | undefined {
  const hasBoth = typeof env === "object" && env !== null && "incoming" in env && "outgoing" in env;
  return hasBoth ? (env as Bindings) : undefined;
}
