import { request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { RequestOptions as HttpsRequestOptions } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ConnectionOptions } from "node:tls";
import { isWithoutProxy } from "./no-proxy.ts";

/** A forward proxy. */
export type ProxyServer = {
  /** Without credentials. */
  readonly url: URL;
  /** Value of `Proxy-Authorization`. Only the proxy gets it. */
  readonly authorization?: string;
  /** Settings or environment variables that errors mention. */
  readonly settings: {
    readonly address: string;
    readonly credentials: string;
    /** For hosts that are called directly. */
    readonly exceptions: string;
  };
};

/** The proxies of outgoing requests. */
export type OutgoingProxy = {
  /** For http addresses. */
  readonly http?: ProxyServer;
  /** For https addresses. */
  readonly https?: ProxyServer;
  /** Hosts that are called directly, as in `NO_PROXY`. */
  readonly noProxy: readonly string[];
};

/** A proxy cannot be reached, or refuses a connection. */
export class OutgoingProxyError extends Error {
  override readonly name = "OutgoingProxyError";
  readonly code = "proxy-failed";
}

const CONNECT_TIMEOUT_MS = 30_000;
/** Unused connections stay open for five seconds, as those of Node's own agents. */
export const CONNECTION_REUSE = { keepAlive: true, scheduling: "lifo", timeout: 5_000 } as const;

/** Returns the proxy for an address; undefined for a direct call. */
export function proxyFor(proxy: OutgoingProxy, url: URL): ProxyServer | undefined {
  const server = url.protocol === "https:" ? proxy.https : proxy.http;
  return server && !isWithoutProxy(url, proxy.noProxy) ? server : undefined;
}

/** Returns the options of a request for an http address that the proxy forwards. */
export function forwardedRequest(
  proxy: ProxyServer,
  url: URL,
  headers: Readonly<Record<string, string>>,
): RequestOptions {
  return { path: url.href, headers: { ...headers, host: url.host, ...authorizationOf(proxy) } };
}

/** Opens a request to the proxy itself. */
export function requestOfProxy({ url }: ProxyServer): typeof requestHttp {
  return url.protocol === "https:" ? requestHttps : requestHttp;
}

/** Creates an agent for https addresses, whose connections are tunnels through the proxy. */
export function createTunnelAgent(proxy: ProxyServer): HttpsAgent {
  const agent = new HttpsAgent(CONNECTION_REUSE);
  agent.createConnection = (options: HttpsRequestOptions, callback) => {
    openTunnel(proxy, options).then(
      (socket) => callback?.(null, connectTls({ ...tlsOptions(options), socket })),
      // Node reads no stream after an error.
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
  return agent;
}

/** Returns the error for a status that the proxy sent itself. */
export function refusalOf(
  { url, settings }: ProxyServer,
  status: number,
  target: string,
): OutgoingProxyError {
  const advice =
    status === 407
      ? `It wants other credentials: check ${settings.credentials}.`
      : `Ask its administrators, or list the host in ${settings.exceptions}.`;
  return new OutgoingProxyError(
    `The proxy ${url.origin} refused the connection to ${target} with status ${status}. ${advice}`,
  );
}

/** Returns the error for a request that did not reach the proxy; its own one after an abort. */
export function unreachableProxy({ url, settings }: ProxyServer, cause: Error): Error {
  if (cause.name === "AbortError") return cause;
  const reason = "code" in cause ? String(cause.code) : cause.message;
  const advice = `Check ${settings.address}.`;
  return new OutgoingProxyError(
    `The proxy ${url.origin} cannot be reached (${reason}). ${advice}`,
    {
      cause,
    },
  );
}

function openTunnel(proxy: ProxyServer, options: RequestOptions): Promise<Socket> {
  const authority = authorityOf(options);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const outgoing: ClientRequest = requestOfProxy(proxy)(proxy.url, {
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...authorizationOf(proxy) },
    agent: false,
    timeout: CONNECT_TIMEOUT_MS,
  });
  outgoing.once("connect", ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
    if (statusCode === 200) {
      if (head.length > 0) socket.unshift(head);
      socket.setTimeout(0);
      resolve(socket);
      return;
    }
    socket.destroy();
    reject(refusalOf(proxy, statusCode, authority));
  });
  outgoing.once("timeout", () => outgoing.destroy(new Error("it does not answer")));
  outgoing.once("error", (error) => reject(unreachableProxy(proxy, error)));
  outgoing.end();
  return promise;
}

function authorizationOf({ authorization }: ProxyServer): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}

function authorityOf({ host, port }: RequestOptions): string {
  const name = host ?? "";
  return `${name.includes(":") ? `[${name}]` : name}:${port ?? 443}`;
}

/** The options of TLS among those of the request. The connection is open already. */
function tlsOptions({ servername, ca }: HttpsRequestOptions): ConnectionOptions {
  return { ...(servername !== undefined && { servername }), ...(ca !== undefined && { ca }) };
}
