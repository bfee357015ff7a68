import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { RequestConnection } from "./request-connection.ts";
import { connectionOf, connectionOfIncoming, parseBindings } from "./request-connection.ts";
import type { Forwarded } from "./forwarded.ts";
import { networkList, readForwarded } from "./forwarded.ts";
import { createPublicAddresses } from "./public-address.ts";
import type { OwnedHostNames, HostAddress } from "./public-address.ts";

/** Facts about the caller of a request, which the rules of access find out. */
export type CallerFacts = {
  /** Id of the request's API token; undefined until the token is validated. */
  readonly tokenId?: string;
};

/** Id, client address, public address and caller of one request. */
export type RequestContext<Decisions extends CallerFacts = CallerFacts> = {
  /** In every log line and event of the request, and in its answer. */
  readonly id: string;
  /** Address of the client, behind trusted proxies. */
  readonly address?: string;
  readonly publicAddress: HostAddress;
  /** For all that decides about the request, so that each question is answered once. */
  readonly decisions: Decisions;
};

/** Contexts of the current requests: one object for each request. */
export type RequestContexts<Decisions extends CallerFacts = CallerFacts> = {
  of(request: Request, env: unknown): RequestContext<Decisions>;
  /** For the path that makes no `Request`. `of` returns the same for the request made from it. */
  ofIncoming(incoming: IncomingMessage, connection?: RequestConnection): RequestContext<Decisions>;
  /** The public address alone, for the path on which every microsecond counts. */
  publicAddressOf(connection: RequestConnection): HostAddress;
  /** The request has the credentials of a known caller. */
  confirmAddress(context: RequestContext<Decisions>): void;
  /** Whether a URL is below an address whose documents outlive the process. */
  isLastingAddress(url: string): boolean;
};

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}$/;

type ContextOptions = {
  readonly trustedProxies: readonly string[];
  readonly publicBaseUrls: readonly string[];
  readonly hostNames?: OwnedHostNames;
  /** Whether clients are believed that they reach this host by a loopback address. */
  readonly believesLoopback?: boolean;
};

/**
 * Contexts live as long as their request. `openDecisions` opens the decisions of a new request;
 * without it, no token is known.
 */
export function createRequestContexts(options: ContextOptions): RequestContexts;
export function createRequestContexts<Decisions extends CallerFacts>(
  options: ContextOptions & { readonly openDecisions: () => Decisions },
): RequestContexts<Decisions>;
export function createRequestContexts(
  options: ContextOptions & { readonly openDecisions?: () => CallerFacts },
): RequestContexts {
  const trusted = networkList(options.trustedProxies);
  const { publicBaseUrls: configured, hostNames: owned, believesLoopback } = options;
  const { openDecisions = () => ({}) } = options;
  const addresses = createPublicAddresses({ configured, owned, believesLoopback });
  const contexts = new WeakMap<object, RequestContext>();
  const silent = new BoundedCache<string, Forwarded>({ entries: PEERS_MAX });
  const forwardedOf = (connection: RequestConnection): Forwarded => {
    const read = () => readForwarded(connection, trusted);
    return saysNothing(connection) ? silent.remember(connection.peer ?? "", read) : read();
  };

  const contextOf = (key: object, connect: () => RequestConnection): RequestContext => {
    const knownContext = contexts.get(key);
    if (knownContext) return knownContext;
    const connection = connect();
    const forwarded = forwardedOf(connection);
    const { address } = forwarded;
    const requestId = forwarded.trusted ? connection.header("x-request-id") : undefined;
    const id = requestId !== undefined && REQUEST_ID.test(requestId) ? requestId : randomUUID();
    const publicAddress = addresses.of(connection, forwarded);
    const found = { id, publicAddress, decisions: openDecisions() };
    const context = address === undefined ? found : { ...found, address };
    contexts.set(key, context);
    return context;
  };
  return {
    publicAddressOf: (connection) => addresses.of(connection, forwardedOf(connection)),
    confirmAddress: ({ publicAddress }) => addresses.confirmAddress(publicAddress),
    isLastingAddress: (url) => addresses.isLastingAddress(url),
    ofIncoming: (incoming, connection) =>
      contextOf(incoming, () => connection ?? connectionOfIncoming(incoming)),
    of: (request, env) =>
      contextOf(parseBindings(env)?.incoming ?? request, () => connectionOf(request, env)),
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
