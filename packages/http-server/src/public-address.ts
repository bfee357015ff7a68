import { BoundedCache } from "@sealhouse/bounded-cache";
import type { RequestAddress } from "@sealhouse/request-types";
import type { RequestConnection } from "./request-connection.ts";
import type { Forwarded } from "./forwarded.ts";
import { isHost } from "./forwarded.ts";
import { isLoopbackHost } from "./loopback.ts";

/** Path of the npm registry below the public address. */
export const NPM_PATH = "/npm";

/** Where clients reach this host. */
export type HostAddress = RequestAddress & {
  /** The npm registry, without trailing slash: below `base`, or at the root of a host name. */
  readonly npm: string;
  /** Whether the request came by a host name of npm's own, which serves nothing else. */
  readonly npmAtRoot: boolean;
  /** Set when the request came by a host name of a segment's own, which serves nothing else. */
  readonly oci?: {
    readonly segment: string;
    /** Without trailing slash. */
    readonly base: string;
  };
};

/** Host names, lower-case and without port, that are for one thing each. */
export type OwnedHostNames = {
  readonly npm?: readonly string[];
  readonly segments?: readonly { readonly name: string; readonly hostNames: readonly string[] }[];
};

/** Limit of confirmed addresses; the least recently used is dropped. */
const CONFIRMED_MAX = 8;
const LOOPBACK_MAX = 8;
/** Limits of cached spellings of host names. */
const READY = { entries: 64, keyLengthMax: 512 };

export type PublicAddresses = {
  of(connection: RequestConnection, forwarded: Forwarded): HostAddress;
  /** Marks the address of an authenticated request as one that clients use; documents are cached
   * for it from then on. An anonymous request can name any host, and so confirms nothing. */
  confirmAddress(address: HostAddress): void;
  /**
   * Whether a URL is below an address whose documents outlive the process: a configured address
   * that a request came by, or one of at most eight loopback addresses.
   */
  isLastingAddress(url: string): boolean;
};

export type PublicAddressOptions = {
  readonly configured: readonly string[];
  readonly owned?: OwnedHostNames | undefined;
  /** Whether documents are cached for loopback addresses without a confirmation; default false. */
  readonly believesLoopback?: boolean | undefined;
};

/**
 * The one place absolute links come from. With configured addresses it is the one the request came
 * by, else the first; without, what a trusted proxy says, else the request itself. A request by one
 * of `owned` finds what the name is for at the port it named, and everything else at the first
 * configured address.
 */
export function createPublicAddresses(options: PublicAddressOptions): PublicAddresses {
  const fixed = new Set<string>();
  const finder = createFinder(options);
  const find: typeof finder = (connection, forwarded) => {
    const result = finder(connection, forwarded);
    if (result.plain === undefined) fixed.add(ownBase(result.address));
    return result;
  };
  const ready = new BoundedCache<string, ResolvedAddress>(READY);
  const confirmed = new BoundedCache<string, true>({ entries: CONFIRMED_MAX });
  const loopback = new Set<string>();
  const isBelieved = (base: string): boolean => {
    if (loopback.has(base)) return true;
    if (loopback.size === LOOPBACK_MAX || options.believesLoopback !== true) return false;
    if (!URL.canParse(base) || !isLoopbackHost(new URL(base).host)) return false;
    loopback.add(base);
    return true;
  };
  return {
    of(connection, forwarded) {
      const { protocol = "", host = connection.host, prefix = "" } = forwarded;
      const key = `${protocol} ${connection.protocol} ${host} ${prefix}`;
      const { address, plain } = ready.remember(key, () => find(connection, forwarded));
      if (plain === undefined) return address;
      const base = ownBase(address);
      return confirmed.get(base) || isBelieved(base) ? address : plain;
    },
    confirmAddress(address) {
      if (!address.cacheable) confirmed.set(ownBase(address), true);
    },
    isLastingAddress: (url) => basesOf(url).some((base) => fixed.has(base) || loopback.has(base)),
  };
}

/** The URL, and each URL above it. */
function basesOf(url: string): readonly string[] {
  const [scheme = "", rest = ""] = url.split("://", 2);
  const parts = rest.split("/");
  return parts.map((_, index) => `${scheme}://${parts.slice(0, index + 1).join("/")}`);
}

/** `address` is cacheable; `plain` is the same address until a request confirms it, and undefined
 * for a configured address. */
type ResolvedAddress = { readonly address: HostAddress; readonly plain?: HostAddress };

function createFinder(options: PublicAddressOptions) {
  const { configured, owned = {} } = options;
  const knownBases = configured.map((base) => ({ base, ...partsOf(base) }));
  const npmHosts = new Set(owned.npm);
  const segments = new Map(
    (owned.segments ?? []).flatMap(({ name, hostNames }) =>
      hostNames.map((hostName) => [hostName, name]),
    ),
  );
  return (connection: RequestConnection, forwarded: Forwarded): ResolvedAddress => {
    const { protocol, host } = saidBy(connection, forwarded);
    const [first] = knownBases;
    const name = host.replace(/:\d+$/, "");
    const segment = segments.get(name);
    if (npmHosts.has(name) || segment !== undefined) {
      const own = ownAddress(connection, forwarded, first);
      const base = first?.base ?? own;
      const address = segment === undefined ? npmAt(own, base) : imagesAt(own, base, segment);
      return foundAt(address, isOwnPort(own, name, first?.host));
    }
    if (first) {
      const sameHost = knownBases.filter((candidate) => candidate.host === host);
      const { base } =
        sameHost.find((candidate) => candidate.protocol === protocol) ?? sameHost[0] ?? first;
      return { address: belowBase(base) };
    }
    const base = `${protocol}://${host === "" ? "localhost" : host}${forwarded.prefix ?? ""}`;
    return foundAt(belowBase(base), false);
  };
}

function npmAt(own: string, base: string): HostAddress {
  return { base, npm: own, npmAtRoot: true, cacheable: true };
}

function imagesAt(own: string, base: string, segment: string): HostAddress {
  return { ...belowBase(base), oci: { segment, base: own } };
}

/** Whether a host name is at the port of its scheme, or at that of the main address. */
function isOwnPort(own: string, name: string, mainHost = ""): boolean {
  const ownHost = own.replace(/^https?:\/\//, "");
  return ownHost === name || ownHost === `${name}${portOf(mainHost)}`;
}

function foundAt(address: HostAddress, isFixed: boolean): ResolvedAddress {
  return isFixed ? { address } : { address, plain: { ...address, cacheable: false } };
}

/** Where the request found what it asked for. */
export function ownBase({ base, npm, npmAtRoot, oci }: HostAddress): string {
  return oci?.base ?? (npmAtRoot ? npm : base);
}

/** Scheme and host that the client used, without a default port. */
function saidBy(connection: RequestConnection, forwarded: Forwarded) {
  const protocol = forwarded.protocol ?? connection.protocol;
  return { protocol, host: withoutDefaultPort(forwarded.host ?? connection.host, protocol) };
}

/** Assumes the scheme of the main address where neither connection nor proxy says https. */
function ownAddress(
  connection: RequestConnection,
  forwarded: Forwarded,
  main: { readonly protocol: string } | undefined,
): string {
  const isUnknown = connection.protocol === "http" && forwarded.protocol === undefined;
  const statedProtocol = forwarded.protocol ?? connection.protocol;
  const protocol = isUnknown && main ? main.protocol : statedProtocol;
  const host = withoutDefaultPort(forwarded.host ?? connection.host, protocol);
  return `${protocol}://${host}${forwarded.prefix ?? ""}`;
}

function belowBase(base: string): HostAddress {
  return { base, npm: `${base}${NPM_PATH}`, npmAtRoot: false, cacheable: true };
}

/** `:8443`, or nothing. */
function portOf(host: string): string {
  return /:\d+$/.exec(host)?.[0] ?? "";
}

function partsOf(base: string): { readonly protocol: string; readonly host: string } {
  const url = new URL(base);
  return { protocol: url.protocol.slice(0, -1), host: url.host };
}

/** Lower-case; empty for an invalid host. */
function withoutDefaultPort(host: string, protocol: string): string {
  if (!isHost(host)) return "";
  return host.toLowerCase().replace(protocol === "https" ? /:443$/ : /:80$/, "");
}
