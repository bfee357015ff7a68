import { BoundedCache } from "@sealhouse/bounded-cache";
import type { RequestConnection } from "./request-connection.ts";
import { isLoopbackHost } from "./loopback.ts";
import type { HostAddress } from "./public-address.ts";

/** Why a request is answered by no surface. */
export type GateRefusal = { readonly status: 403 | 421; readonly text: string };

/** Method and URL of a request. */
export type GateRequest = {
  readonly method: string;
  /** Complete, or from the path on; with its query. */
  readonly url: string;
};

/** Decides before every surface whether a request is refused; undefined = it is not. */
export type RequestGate = (
  request: GateRequest,
  connection: RequestConnection,
) => GateRefusal | undefined;

/** Options of `createRequestGate`. */
export type GateOptions = {
  /** The addresses of the configuration. */
  readonly publicBaseUrls: readonly string[];
  /** Host names, lower-case and without port, that belong to npm or to a segment. */
  readonly hostNames: readonly string[];
  readonly development: boolean;
  /** Whether every address that the host listens on is a loopback address. */
  readonly loopbackOnly: boolean;
  readonly publicAddressOf: (connection: RequestConnection) => HostAddress;
  /** Whether a request changes something although its method is GET or HEAD. Default: never. */
  readonly isChangingRead?: (url: string) => boolean;
};

/** Methods that change nothing, apart from the exceptions of `isChangingRead`. */
const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Limits of cached host names. */
const NAMES = { entries: 64, keyLengthMax: 512 };
const OWN_SITES = new Set(["same-origin", "none"]);

/**
 * Two rules that protect users of a browser.
 *
 * Cross-site requests: a browser adds stored Basic credentials to the forms of every site. The gate
 * therefore refuses a changing request that a page of another site sent. Browsers name the origin
 * in `Origin` or `Sec-Fetch-Site`; package clients send neither header.
 *
 * DNS rebinding: a page can point its own host name at 127.0.0.1 and then read from a host there.
 * A host in Development that listens on loopback only therefore accepts loopback names and
 * configured names.
 */
export function createRequestGate(options: GateOptions): RequestGate {
  const { isChangingRead } = options;
  const isKnownName = knownNames(options);
  const isOwnOrigin = ownOrigins(options);
  const foreignSender = (connection: RequestConnection): string | undefined => {
    const site = connection.header("sec-fetch-site");
    const origin = connection.header("origin");
    if (site !== undefined && !OWN_SITES.has(site)) return origin ?? site;
    return origin === undefined || isOwnOrigin(origin, connection) ? undefined : origin;
  };
  return ({ method, url }, connection) => {
    if (!isKnownName(connection.host)) return misdirected(connection.host);
    const isRead = READS.has(method);
    if (isRead && (method === "OPTIONS" || isChangingRead === undefined)) return undefined;
    // Package clients send neither header, so their reads are never parsed.
    const sender = foreignSender(connection);
    if (sender === undefined || (isRead && isChangingRead?.(url) !== true)) return undefined;
    return crossSite(sender);
  };
}

function knownNames(options: GateOptions): (host: string) => boolean {
  const { development, loopbackOnly, publicBaseUrls, hostNames } = options;
  if (!development || !loopbackOnly) return () => true;
  const configured = new Set([
    ...hostNames,
    ...publicBaseUrls.map((base) => new URL(base).hostname),
  ]);
  // Every browser sends a name.
  const isKnown = (host: string): boolean =>
    host === "" || isLoopbackHost(host) || configured.has(host.replace(/:\d+$/, "").toLowerCase());
  const known = new BoundedCache<string, boolean>(NAMES);
  return (host) => known.remember(host, () => isKnown(host));
}

function ownOrigins(
  options: GateOptions,
): (origin: string, connection: RequestConnection) => boolean {
  const { development, publicBaseUrls, publicAddressOf } = options;
  const configured = new Set(publicBaseUrls.map((base) => new URL(base).origin));
  return (origin, connection) => {
    if (configured.has(origin)) return true;
    const { npmAtRoot, npm, oci, base } = publicAddressOf(connection);
    if (oci) return originOf(oci.base) === origin;
    if (npmAtRoot) return originOf(npm) === origin;
    if (!development || configured.size > 0) return false;
    return originOf(base) === origin && isLoopbackHost(new URL(base).hostname);
  };
}

/** Undefined for an invalid address such as `http://localhost:99999`. */
function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

function crossSite(from: string): GateRefusal {
  return {
    status: 403,
    text:
      `A page of another site sent this request (${shown(from)}); nothing was changed. If it is ` +
      "a page of this registry, set Feed__PublicBaseUrl to the address in the browser.",
  };
}

function misdirected(host: string): GateRefusal {
  return {
    status: 421,
    text:
      "This registry runs in Development and listens on loopback only, so it refuses the host " +
      `name ${shown(host)}. Use localhost, or set Feed__PublicBaseUrl to the address you use.`,
  };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100)).replaceAll(/[^\x20-\x7e]/g, "?");
}
