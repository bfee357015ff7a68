import type { Arrival } from "./arrival.ts";
import type { Forwarded } from "./forwarded.ts";
import { isHost } from "./forwarded.ts";

/** Where the npm registry stands below the public address. */
export const NPM_PATH = "/npm";

/** Where clients reach this host. */
export type PublicAddress = {
  /** Without trailing slash. */
  readonly base: string;
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
  /** Whether documents with links to it may be kept: true for a bounded number of addresses. */
  readonly cacheable: boolean;
};

/** Host names, lower-case and without port, that are for one thing each. */
export type OwnedHostNames = {
  readonly npm?: readonly string[];
  readonly segments?: readonly { readonly name: string; readonly hostNames: readonly string[] }[];
};

/** Of addresses that only requests name, so many get documents of their own. */
const SEEN_MAX = 8;
/** So many spellings of host names are answered without taking them apart again. */
const READY_MAX = 64;

/**
 * The one place absolute links come from. With configured addresses it is the one the request came
 * by, else the first; without, what a trusted proxy says, else the request itself. A request by one
 * of `owned` finds what the name is for at the port it named, and everything else at the first
 * configured address.
 */
export function createPublicAddress(
  configured: readonly string[],
  owned: OwnedHostNames = {},
): (arrival: Arrival, forwarded: Forwarded) => PublicAddress {
  const known = configured.map((base) => ({ base, ...partsOf(base) }));
  const npmHosts = new Set(owned.npm);
  const segments = new Map(
    (owned.segments ?? []).flatMap(({ name, hostNames }) => hostNames.map((one) => [one, name])),
  );
  const seen = new Set<string>();
  const ready = new Map<string, PublicAddress>();
  const isSeen = (base: string): boolean => {
    if (!seen.has(base) && seen.size < SEEN_MAX) seen.add(base);
    return seen.has(base);
  };
  const find = (arrival: Arrival, forwarded: Forwarded): PublicAddress => {
    const protocol = forwarded.protocol ?? arrival.protocol;
    const host = withoutDefaultPort(forwarded.host ?? arrival.host, protocol);
    const [first] = known;
    const name = host.replace(/:\d+$/, "");
    const segment = segments.get(name);
    if (npmHosts.has(name) || segment !== undefined) {
      const own = `${ownOrigin(arrival, forwarded, first)}${forwarded.prefix ?? ""}`;
      const cacheable = own.replace(/^https?:\/\//, "") === name || isSeen(own);
      const base = first?.base ?? own;
      if (segment === undefined) return { base, npm: own, npmAtRoot: true, cacheable };
      return { ...belowBase(base, cacheable), oci: { segment, base: own } };
    }
    if (first) {
      const sameHost = known.filter((one) => one.host === host);
      const found = sameHost.find((one) => one.protocol === protocol) ?? sameHost[0] ?? first;
      return belowBase(found.base, true);
    }
    const base = `${protocol}://${host === "" ? "localhost" : host}${forwarded.prefix ?? ""}`;
    return belowBase(base, isSeen(base));
  };
  return (arrival, forwarded) => {
    const { protocol = "", host = arrival.host, prefix = "" } = forwarded;
    const key = `${protocol} ${arrival.protocol} ${host} ${prefix}`;
    const again = ready.get(key);
    if (again) return again;
    const address = find(arrival, forwarded);
    if (address.cacheable && ready.size < READY_MAX) ready.set(key, address);
    return address;
  };
}

/** Where nobody says that the client came by https, it came as it does to the main address. */
function ownOrigin(
  arrival: Arrival,
  forwarded: Forwarded,
  main: { readonly protocol: string } | undefined,
): string {
  const isUnknown = arrival.protocol === "http" && forwarded.protocol === undefined;
  const said = forwarded.protocol ?? arrival.protocol;
  const protocol = isUnknown && main ? main.protocol : said;
  return `${protocol}://${withoutDefaultPort(forwarded.host ?? arrival.host, protocol)}`;
}

function belowBase(base: string, cacheable: boolean): PublicAddress {
  return { base, npm: `${base}${NPM_PATH}`, npmAtRoot: false, cacheable };
}

function partsOf(base: string): { readonly protocol: string; readonly host: string } {
  const url = new URL(base);
  return { protocol: url.protocol.slice(0, -1), host: url.host };
}

/** Lower-case, and empty for what is no host. */
function withoutDefaultPort(host: string, protocol: string): string {
  if (!isHost(host)) return "";
  return host.toLowerCase().replace(protocol === "https" ? /:443$/ : /:80$/, "");
}
