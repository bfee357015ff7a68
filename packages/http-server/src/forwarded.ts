import { BlockList, isIP } from "node:net";
import type { RequestConnection } from "./request-connection.ts";

/** Forwarding headers of a request from a trusted proxy. For any other peer, only `address` and
 * `trusted` are set. */
export type Forwarded = {
  /** The nearest address that is not a trusted proxy. */
  readonly address?: string;
  readonly protocol?: "http" | "https";
  readonly host?: string;
  /** Path that the proxy removed: `/feed`. */
  readonly prefix?: string;
  /** True when the peer is a trusted proxy. */
  readonly trusted: boolean;
};

const HOST = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
/** Segments such as `team@acme` and `team%40acme`, without encoded control characters, dots and
 * slashes. */
const PREFIX = /^(?:\/(?:[\w.~@+:-]|%(?!0|1|2[EF]|5C|7F)[\dA-F]{2})+)+$/i;

/** `networks`: addresses and CIDR blocks. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The last value of a list counts: our own proxy wrote it, not a client. */
export function readForwarded(connection: RequestConnection, trusted: BlockList): Forwarded {
  const peer = connection.peer === undefined ? undefined : plainAddress(connection.peer);
  if (peer === undefined || !isTrusted(peer, trusted)) {
    return { trusted: false, ...(peer !== undefined && { address: peer }) };
  }
  const protocol = lastOf(connection.header("x-forwarded-proto"))?.toLowerCase();
  const host = lastOf(connection.header("x-forwarded-host"));
  const prefix = lastOf(connection.header("x-forwarded-prefix"))?.replace(/\/+$/, "");
  return {
    trusted: true,
    address: clientOf(connection.header("x-forwarded-for"), peer, trusted),
    ...((protocol === "http" || protocol === "https") && { protocol }),
    ...(host !== undefined && isHost(host) && { host }),
    ...(prefix !== undefined && PREFIX.test(prefix) && { prefix }),
  };
}

export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** From the nearest hop outwards, up to the first one that is not ours. */
function clientOf(header: string | undefined, peer: string, trusted: BlockList): string {
  let client = peer;
  for (const hop of (header ?? "").split(",").toReversed()) {
    const address = plainAddress(hop.trim());
    if (address === undefined) return client;
    client = address;
    if (!isTrusted(address, trusted)) return client;
  }
  return client;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  return trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/** Without port, brackets, zone, and the `::ffff:` of an IPv4 client on an IPv6 socket. */
function plainAddress(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  const bare = text
    .replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/%.*$/, "")
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return isIP(bare) === 0 ? undefined : bare;
}

function lastOf(header: string | undefined): string | undefined {
  const last = header?.split(",").at(-1)?.trim();
  return last === "" ? undefined : last;
}
