import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestConnection } from "./request-connection.ts";
import { connectionOf, parseBindings } from "./request-connection.ts";
import type { Forwarded } from "./forwarded.ts";
import { networkList, readForwarded } from "./forwarded.ts";
import { createPublicAddresses } from "./public-address.ts";
import type { OwnedHostNames, HostAddress } from "./public-address.ts";
import { boundedCache } from "./bounded-cache.ts";

/** Id, client address, token and public address of one request. */
export type RequestContext = {
  /** In every log line and event of the request, and in its answer. */
  readonly id: string;
  /** Address of the client, behind trusted proxies. */
  readonly address?: string;
  /** Id of the request's API token; undefined until the token is validated. */
  tokenId?: string;
  readonly publicAddress: HostAddress;
};

/** Contexts of the current requests. */
export type RequestContexts = {
  /** The same object for the same request. */
  of(request: Request, env: unknown): RequestContext;
  /** For the path that makes no `Request`. */
  ofConnection(connection: RequestConnection): RequestContext;
  /** Sets the result of `of` for that request, when the shortcut forwards it to the router. */
  keep(incoming: IncomingMessage, context: RequestContext): void;
  /** The public address alone, for the path on which every microsecond counts. */
  publicAddressOf(connection: RequestConnection): HostAddress;
  /** The request has the credentials of a known caller. */
  confirmAddress(context: RequestContext): void;
  /** Whether a URL is below an address whose documents outlive the process. */
  isLastingAddress(url: string): boolean;
};

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}$/;

/** Contexts live as long as their request. */
export function createRequestContexts(options: {
  readonly trustedProxies: readonly string[];
  readonly publicBaseUrls: readonly string[];
  readonly hostNames?: OwnedHostNames;
  /** Whether clients are believed that they reach this host by a loopback address. */
  readonly believesLoopback?: boolean;
}): RequestContexts {
  const trusted = networkList(options.trustedProxies);
  const { publicBaseUrls: configured, hostNames: owned, believesLoopback } = options;
  const addresses = createPublicAddresses({ configured, owned, believesLoopback });
  const contexts = new WeakMap<object, RequestContext>();
  const silent = boundedCache<Forwarded>(PEERS_MAX);
  const forwardedOf = (connection: RequestConnection): Forwarded => {
    const read = () => readForwarded(connection, trusted);
    return (saysNothing(connection) ? silent(connection.peer ?? "", read) : undefined) ?? read();
  };

  const ofConnection = (connection: RequestConnection): RequestContext => {
    const forwarded = forwardedOf(connection);
    const { address } = forwarded;
    const requestId = forwarded.trusted ? connection.header("x-request-id") : undefined;
    const id = requestId !== undefined && REQUEST_ID.test(requestId) ? requestId : randomUUID();
    const publicAddress = addresses.of(connection, forwarded);
    return address === undefined ? { id, publicAddress } : { id, publicAddress, address };
  };
  return {
    ofConnection,
    keep: (incoming, context) => void contexts.set(incoming, context),
    publicAddressOf: (connection) => addresses.of(connection, forwardedOf(connection)),
    confirmAddress: ({ publicAddress }) => addresses.confirmAddress(publicAddress),
    isLastingAddress: (url) => addresses.isLastingAddress(url),
    of(request, env) {
      const key = parseBindings(env)?.incoming ?? request;
      const knownContext = contexts.get(key);
      if (knownContext) return knownContext;
      const context = ofConnection(connectionOf(request, env));
      contexts.set(key, context);
      return context;
    },
  };
}

/** Limits anonymous callers by their address alone: this number of addresses is checked at once. */
const PEERS_MAX = 1_000;

/** No proxy speaks. */
function saysNothing({ header }: RequestConnection): boolean {
  return (
    header("x-forwarded-for") === undefined &&
    header("x-forwarded-host") === undefined &&
    header("x-forwarded-proto") === undefined &&
    header("x-forwarded-prefix") === undefined
  );
}
