import type { IncomingMessage, ServerResponse } from "node:http";

/** How a request reached us, read from Node's request or, without a socket, from the web's. */
export type RequestConnection = {
  readonly protocol: "http" | "https";
  /** As the client named it, with port; empty when it named none. */
  readonly host: string;
  /** Address of whoever opened the connection. */
  readonly peer?: string;
  readonly header: (name: string) => string | undefined;
};

/** What the HTTP server hands on with each request. */
export type Bindings = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

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
