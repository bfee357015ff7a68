import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { RequestOptions } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { checkedLookup, checkHost } from "@sealhouse/http-responses/outgoing";
import {
  CONNECTION_REUSE,
  createTunnelAgent,
  forwardedRequest,
  proxyFor,
  refusalOf,
  unreachableProxy,
} from "./outgoing-proxy.ts";
import type { OutgoingProxy, ProxyServer } from "./outgoing-proxy.ts";

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent };

/**
 * Open connections, apart for requests that may call private addresses and for those that may not:
 * a connection is checked once, when it is made. Node's own agents check nothing.
 */
const AGENTS: { readonly all: Agents; readonly public: Agents } = {
  all: openAgents(),
  public: openAgents(),
};

function openAgents(): Agents {
  return { http: new HttpAgent(CONNECTION_REUSE), https: new HttpsAgent(CONNECTION_REUSE) };
}

/**
 * `fetch` for requests of the host itself. The address is checked when the connection is made, so a
 * name that changes its address after the check gains nothing. Addresses of metadata services are
 * refused even when private addresses are allowed. Redirects are not followed. A proxy resolves
 * names itself, so only the text of an address is checked for it.
 */
export function createOutgoingFetch(options: {
  readonly allowPrivate: boolean;
  /** Name of the setting for `allowPrivate`, which errors mention. */
  readonly setting?: string;
  /** A sentence about how to allow private addresses, instead of the setting. */
  readonly advice?: string;
  /** PEM; trusted instead of the authorities that Node knows. */
  readonly ca?: string;
  /** Default: direct calls. */
  readonly proxy?: OutgoingProxy | undefined;
}): typeof fetch {
  const agents = options.allowPrivate ? AGENTS.all : AGENTS.public;
  const tunnelOf = createTunnels();
  const lookup = checkedLookup(options);
  return async (input, init) => {
    const { url, method, headers, body } = await callOf(input, init);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new TypeError(`this host does not call ${url.protocol} addresses`);
    }
    checkHost(url, options);
    // Not the signal of a `Request`, which aborts nothing any more once it is collected.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const sent = {
      method,
      headers,
      ...(signal && { signal }),
      body,
      ...(options.ca !== undefined && { ca: options.ca }),
    };
    signal?.throwIfAborted();
    const proxy = options.proxy && proxyFor(options.proxy, url);
    if (!proxy) {
      return send(url, {
        ...sent,
        lookup,
        agent: url.protocol === "https:" ? agents.https : agents.http,
      });
    }
    if (url.protocol === "https:") {
      return before(signal, send(url, { ...sent, agent: tunnelOf(proxy) }));
    }
    return sendForwarded(proxy, url, sent);
  };
}

type Call = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | Readable | undefined;
};

async function callOf(...[input, init]: Parameters<typeof fetch>): Promise<Call> {
  const { method = "GET", body } = init ?? {};
  // A `Request` costs more than the rest of a small call.
  if (input instanceof URL && !body && input.username === "" && input.password === "") {
    return {
      url: input,
      method,
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: undefined,
    };
  }
  const request = new Request(input, init);
  return {
    url: new URL(request.url),
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: await bodyOf(request, body instanceof ReadableStream),
  };
}

type Sent = Omit<RequestOptions, keyof Call> & Pick<Call, "method" | "headers" | "body">;

/** Sends a request for an http address to the proxy. */
async function sendForwarded(
  proxy: ProxyServer,
  url: URL,
  { ca: _ca, method, headers, body, ...options }: Sent,
): Promise<Response> {
  const forwarded = { ...options, ...forwardedRequest(proxy, url, headers), method, body };
  const answer = await send(proxy.url, forwarded).catch((error: Error) => {
    throw unreachableProxy(proxy, error);
  });
  if (answer.status !== 407) return answer;
  await answer.body?.cancel();
  throw refusalOf(proxy, answer.status, url.host);
}

/** Node ends a request that waits for its connection only when it has one. */
async function before<T>(signal: AbortSignal | null | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", abort));
}

/** Returns the agent of a proxy: always the same, because it keeps connections. */
function createTunnels(): (proxy: ProxyServer) => HttpsAgent {
  const agents = new Map<ProxyServer, HttpsAgent>();
  return (proxy) => {
    const agent = agents.get(proxy) ?? createTunnelAgent(proxy);
    agents.set(proxy, agent);
    return agent;
  };
}

function send(
  url: URL,
  { body, ...options }: RequestOptions & Pick<Call, "method" | "body">,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const open = url.protocol === "https:" ? requestHttps : requestHttp;
  const outgoing = open(url, options, (incoming) => {
    const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((text): [string, string] => [name, text]),
    );
    const status = incoming.statusCode ?? 502;
    const isEmpty = options.method === "HEAD" || [204, 205, 304].includes(status);
    if (isEmpty) incoming.resume();
    resolve(new Response(isEmpty ? null : webStreamOf(incoming), { status, headers }));
  });
  outgoing.on("error", reject);
  // Either end may close early; after an early answer the rest of the body need not be sent.
  if (body instanceof Readable) pipeline(body, outgoing).catch(reject);
  else outgoing.end(body);
  return promise;
}

/** Sends a stream as a stream, with the length of its header or in chunks. */
async function bodyOf(request: Request, isStream: boolean): Promise<Buffer | Readable | undefined> {
  if (request.body === null) return undefined;
  return isStream ? Readable.fromWeb(request.body) : Buffer.from(await request.arrayBuffer());
}

function webStreamOf(readable: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(readable);
}

/** The settings of requests to other servers. */
export type OutgoingConfig = {
  readonly allowPrivateAddresses: boolean;
  readonly outgoingProxy: OutgoingProxy | undefined;
};

/** `fetch` for requests of the host and its commands to other servers. */
export function openOutgoingFetch(host: OutgoingConfig): typeof fetch {
  return createOutgoingFetch({
    allowPrivate: host.allowPrivateAddresses,
    setting: "Host__OutgoingRequests__AllowPrivateAddresses",
    proxy: host.outgoingProxy,
  });
}
