import { lookup } from "node:dns";
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { RequestOptions } from "node:https";
import { BlockList, isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  CONNECTION_REUSE,
  createTunnelAgent,
  forwardedRequest,
  proxyFor,
  refusalOf,
  unreachableProxy,
} from "./outgoing-proxy.ts";
import type { OutgoingProxy, ProxyServer } from "./outgoing-proxy.ts";

/** Networks no outside service lives in: a URL in the settings or, later, in a user's form must not
 * make the host speak to its own neighbours. */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Public by its number, and yet Azure's own, which tells a machine its secrets.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  PRIVATE.addSubnet(network, bits, "ipv4");
}
for (const [network, bits] of [
  // The first, and those that begin with 2: an IPv4 address is in them, which may be any.
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 9],
  ["ff00::", 8],
] as const) {
  PRIVATE.addSubnet(network, bits, "ipv6");
}

/** Connections whose address was checked. Those of Node's agents, which any other request leaves
 * open, were not. */
const publicHttp = new HttpAgent(CONNECTION_REUSE);
const publicHttps = new HttpsAgent(CONNECTION_REUSE);

/** The host tried to call an address it must not call. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
  readonly code = "private-address";

  /** `setting` allows private addresses; the message names it. */
  constructor(host: string, setting?: string) {
    const advice = setting === undefined ? "" : ` Set ${setting}=true to allow it.`;
    super(`${host} is in a private network. Outgoing requests may not call it.${advice}`);
  }
}

/**
 * `fetch` for requests of the host itself. The address is checked when the connection is made, so a
 * name that changes its address after the check gains nothing. Redirects are not followed. A proxy
 * resolves names itself, so only addresses are checked for it.
 */
export function createOutgoingFetch(options: {
  readonly allowPrivate: boolean;
  /** Name of the setting for `allowPrivate`, which errors mention. */
  readonly setting?: string;
  /** PEM; trusted instead of the authorities that Node knows. */
  readonly ca?: string;
  /** Default: direct calls. */
  readonly proxy?: OutgoingProxy | undefined;
}): typeof fetch {
  const { setting } = options;
  const tunnelOf = createTunnels();
  const lookupPublic = publicLookup(setting);
  return async (input, init) => {
    const { url, method, headers, body } = await callOf(input, init);
    checkAddress(url, options);
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
        ...(!options.allowPrivate && {
          lookup: lookupPublic,
          agent: url.protocol === "https:" ? publicHttps : publicHttp,
        }),
      });
    }
    if (url.protocol === "https:") {
      return before(signal, send(url, { ...sent, agent: tunnelOf(proxy) }));
    }
    return sendForwarded(proxy, url, sent);
  };
}

function checkAddress(
  { protocol, hostname }: URL,
  { allowPrivate, setting }: { readonly allowPrivate: boolean; readonly setting?: string },
): void {
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError(`this host does not call ${protocol} addresses`);
  }
  const host = hostname.replace(/^\[|\]$/g, "");
  if (!allowPrivate && isPrivate(host)) throw new PrivateAddressError(host, setting);
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

function publicLookup(setting: string | undefined): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const foundAddresses = error ? [] : addresses;
      const [first] = foundAddresses;
      if (error || !first) {
        callback(error ?? new Error(`${hostname} has no address`), "", 0);
      } else if (foundAddresses.some(({ address }) => isPrivate(address))) {
        callback(new PrivateAddressError(hostname, setting), "", 0);
      } else if (options.all) {
        callback(null, [...foundAddresses]);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/** Also an IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`). */
function isPrivate(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return address.toLowerCase() === "localhost";
  return PRIVATE.check(address, family === 4 ? "ipv4" : "ipv6");
}
