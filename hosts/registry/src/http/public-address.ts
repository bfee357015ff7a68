import type { Arrival } from "./arrival.ts";
import type { Forwarded } from "./forwarded.ts";
import { isHost } from "./forwarded.ts";

/** Where clients reach this host. */
export type PublicAddress = {
  /** Without trailing slash. */
  readonly base: string;
  /** Whether documents with links to it may be kept: true for a bounded number of addresses. */
  readonly cacheable: boolean;
};

/** Of addresses that only requests name, so many get documents of their own. */
const SEEN_MAX = 8;
/** So many spellings of host names are answered without taking them apart again. */
const READY_MAX = 64;

/**
 * The one place absolute links come from. With configured addresses it is the one the request came
 * by, else the first; without, what a trusted proxy says, else the request itself.
 */
export function createPublicAddress(
  configured: readonly string[],
): (arrival: Arrival, forwarded: Forwarded) => PublicAddress {
  const known = configured.map((base) => ({ base, ...partsOf(base) }));
  const seen = new Set<string>();
  const ready = new Map<string, PublicAddress>();
  const find = (arrival: Arrival, forwarded: Forwarded): PublicAddress => {
    const protocol = forwarded.protocol ?? arrival.protocol;
    const host = withoutDefaultPort(forwarded.host ?? arrival.host, protocol);
    const [first] = known;
    if (first) {
      const sameHost = known.filter((one) => one.host === host);
      const found = sameHost.find((one) => one.protocol === protocol) ?? sameHost[0] ?? first;
      return { base: found.base, cacheable: true };
    }
    const base = `${protocol}://${host === "" ? "localhost" : host}${forwarded.prefix ?? ""}`;
    if (!seen.has(base) && seen.size < SEEN_MAX) seen.add(base);
    return { base, cacheable: seen.has(base) };
  };
  return (arrival, forwarded) => {
    const { protocol = arrival.protocol, host = arrival.host, prefix = "" } = forwarded;
    const key = `${protocol} ${host} ${prefix}`;
    const again = ready.get(key);
    if (again) return again;
    const address = find(arrival, forwarded);
    if (address.cacheable && ready.size < READY_MAX) ready.set(key, address);
    return address;
  };
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
