import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { DefaultHeadersResponse } from "./default-headers.ts";

/** Longer than load balancers and Go clients keep an idle connection, so that they close first. */
const KEEP_ALIVE_MS = 65_000;
/** Above the keep-alive time, or a reused connection could be cut while its head arrives. */
const HEADERS_MS = 70_000;
const HEADER_BYTES_MAX = 32 * 1024;
const CLOSING_LOOK_MS = 50;
const UNREAD_BODY_MS = 5_000;

/** An address to listen on. */
export type ListenAddress = {
  readonly protocol: "http" | "https";
  /** Hosts to bind; undefined = all interfaces. `localhost` is both loopback addresses. */
  readonly hosts: readonly (string | undefined)[];
  /** 0 = any free port. */
  readonly port: number;
  /** As written. */
  readonly text: string;
};

/** Options of `listen`. */
export type ServerOptions = {
  readonly addresses: readonly ListenAddress[];
  /** Needed when an address is https. */
  readonly certificate?: SecureContextOptions;
  readonly idleTimeoutMs: number;
  /**
   * Milliseconds in which a body that no surface reads must end: that of a GET or HEAD request
   * after its head, that of another request after the answer. The connection is closed then.
   * Default 5,000.
   */
  readonly unreadBodyTimeoutMs?: number;
  /** Must not reject. */
  readonly listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;
};

/** A server that listens. */
export type HttpServer = {
  /** With the real ports: `http://localhost:8080`. */
  readonly urls: readonly string[];
  /**
   * Stops accepting connections, lets running requests finish for `timeoutMs`, then aborts the
   * others. Resolves to the number of aborted requests.
   */
  stop(timeoutMs: number): Promise<number>;
};

/** Listens on every address, or on none: the first that fails closes the others. */
export async function listen(options: ServerOptions): Promise<HttpServer> {
  const state: State = { latest: new Map(), stopping: false };
  const servers: Bound[] = [];
  const binds = options.addresses.flatMap((address) =>
    address.hosts.map((host) => ({ address, host })),
  );
  try {
    for (const { address, host } of binds) {
      const server = openServer(options, address, state);
      const isBound = await bound(server, address, host);
      if (isBound) servers.push({ server, url: urlOf(server, address, host) });
    }
  } catch (error) {
    for (const { server } of servers) server.close();
    throw error;
  }
  return {
    urls: [...new Set(servers.map(({ url }) => url))],
    stop: (timeoutMs) =>
      stop(
        servers.map(({ server }) => server),
        state,
        timeoutMs,
      ),
  };
}

type Bound = { readonly server: Server; readonly url: string };
type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };
/** The latest exchange of every connection; it may be over. */
type State = { readonly latest: Map<Socket, Exchange>; stopping: boolean };

function openServer(options: ServerOptions, { protocol }: ListenAddress, state: State): Server {
  const listener = watched(options, state);
  const settings = {
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAlive: true,
    ServerResponse: DefaultHeadersResponse,
  };
  const server =
    protocol === "https"
      ? createSecureServer({ ...settings, ...options.certificate }, listener)
      : createServer(settings, listener);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  // An upload may take hours; surfaces read bodies at a minimum rate, `limitUnreadBody` limits the
  // others, and the idle timeout below ends idle connections.
  server.requestTimeout = 0;
  server.setTimeout(options.idleTimeoutMs, (socket: Socket) => {
    if (!isWorking(state.latest.get(socket))) socket.destroy();
  });
  return server;
}

/** Nothing moves because we are busy with a request that has arrived whole. */
function isWorking(exchange: Exchange | undefined): boolean {
  return exchange !== undefined && exchange.incoming.complete && !exchange.outgoing.headersSent;
}

function watched(
  { listener, unreadBodyTimeoutMs = UNREAD_BODY_MS }: ServerOptions,
  state: State,
): RequestListener {
  return (incoming, outgoing) => {
    const { socket } = incoming;
    // One listener per connection, none per request: this is the hottest path there is.
    if (!state.latest.has(socket)) socket.once("close", () => state.latest.delete(socket));
    state.latest.set(socket, { incoming, outgoing });
    if (state.stopping) outgoing.setHeader("connection", "close");
    if (announcesBody(incoming)) limitUnreadBody({ incoming, outgoing }, unreadBodyTimeoutMs);
    if (namesTwoHosts(incoming)) refuseTwoHosts(outgoing);
    else listener(incoming, outgoing);
  };
}

function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** Closes a connection whose body continues although no surface reads it: its bytes would keep the
 * connection from being idle. */
function limitUnreadBody({ incoming, outgoing }: Exchange, timeoutMs: number): void {
  const start = (): void => {
    if (incoming.complete) return;
    const timer = setTimeout(() => {
      if (!incoming.complete) incoming.socket.destroy();
    }, timeoutMs);
    timer.unref();
    incoming.once("close", () => clearTimeout(timer));
  };
  // No surface reads the body of these methods.
  if (incoming.method === "GET" || incoming.method === "HEAD") start();
  else outgoing.once("finish", start);
}

/** Which of them counts is not the same for a proxy and for us (RFC 9112 section 3.2). */
function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}

function refuseTwoHosts(outgoing: ServerResponse): void {
  const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
  outgoing.writeHead(400, headers).end("The request has more than one Host header.\n");
}

/** False for the IPv6 half of `localhost` on a machine that has no IPv6. */
async function bound(
  server: Server,
  address: ListenAddress,
  host: string | undefined,
): Promise<boolean> {
  try {
    server.listen({ port: address.port, ...(host !== undefined && { host }) });
    await once(server, "listening");
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const hasOther = address.hosts.length > 1 && host === "::1";
    if (hasOther && ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"].includes(code)) return false;
    throw new ListenError(address.text, code, { cause: error });
  }
}

/** An address that cannot be listened on. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code = "listen-failed";

  constructor(address: string, code: string, options: ErrorOptions) {
    const reasons: Record<string, string> = {
      EADDRINUSE: "another program listens there already",
      EACCES: "this user may not listen on that port",
      EADDRNOTAVAIL: "this machine does not have that address",
    };
    const reason = reasons[code] ?? (code === "" ? "it failed" : code);
    super(`Cannot listen on ${address}: ${reason}. Set ASPNETCORE_URLS to change it.`, options);
  }
}

function urlOf(server: Server, address: ListenAddress, host: string | undefined): string {
  const where = server.address();
  const port = typeof where === "object" && where !== null ? where.port : address.port;
  const isLocal = address.hosts.length > 1 || host === undefined;
  const name = isLocal ? "localhost" : (host ?? "localhost");
  return `${address.protocol}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

async function stop(servers: readonly Server[], state: State, timeoutMs: number): Promise<number> {
  state.stopping = true;
  for (const { outgoing } of state.latest.values()) {
    if (!outgoing.headersSent) outgoing.setHeader("connection", "close");
  }
  const closed = Promise.all(
    servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
  );
  const look = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, CLOSING_LOOK_MS);
  let cut = 0;
  const deadline = setTimeout(() => {
    cut = [...state.latest.values()].filter(({ outgoing }) => !outgoing.writableFinished).length;
    for (const server of servers) server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearInterval(look);
  clearTimeout(deadline);
  return cut;
}
