import ipaddr from "ipaddr.js";
import { TokenSettingError } from "./errors.ts";

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

const NETWORKS_MAX = 100;
/** Prefix length of IPv4 addresses in IPv6 (`::ffff:10.0.0.1`). */
const MAPPED_BITS = 96;

/**
 * Parses networks, separated by commas or white space: `10.0.0.0/8, 2001:db8::/32`, or single
 * addresses. An empty text allows all addresses.
 *
 * @throws TokenSettingError
 */
export function parseNetworks(text: string): readonly string[] {
  const networks = [...new Set(text.split(/[\s,]+/).filter((word) => word !== ""))];
  checkNetworks(networks);
  return networks;
}

/** @throws TokenSettingError */
export function checkNetworks(networks: readonly string[]): void {
  if (networks.length > NETWORKS_MAX) {
    throw new TokenSettingError("networks", `A token has at most ${NETWORKS_MAX} networks.`);
  }
  const bad = networks.find((network) => networkOf(network) === undefined);
  if (bad === undefined) return;
  throw new TokenSettingError(
    "networks",
    `${JSON.stringify(bad)} is not a network. Use an address with a prefix length, ` +
      `such as 10.0.0.0/8 or 2001:db8::/32, or a single address.`,
  );
}

/** Whether an address is in one of the networks. IPv4 addresses in IPv6 count as IPv4. */
export function isWithin(networks: readonly string[], address: string): boolean {
  const parsed = addressOf(address);
  if (!parsed) return false;
  return networks.some((text) => {
    const network = networkOf(text);
    return network !== undefined && network[0].kind() === parsed.kind() && parsed.match(network);
  });
}

/** Whether a network is within another one. */
export function containsNetwork(bound: string, network: string): boolean {
  const [outer, inner] = [networkOf(bound), networkOf(network)];
  if (!outer || !inner || outer[0].kind() !== inner[0].kind()) return false;
  return outer[1] <= inner[1] && inner[0].match(outer);
}

/** A network whose attempts count together. */
export type CountedNetwork = {
  /** Up to 36 characters. */
  readonly key: string;
  /** Factor of the limit: the network may make this many times the attempts of one caller. */
  readonly share: number;
};

/** Bytes and shares of the networks of an IPv6 address: a subscriber, a home, a company. */
const IPV6_NETWORKS = [
  { bytes: 8, share: 1 },
  { bytes: 7, share: 4 },
  { bytes: 6, share: 16 },
] as const;
const UNREADABLE_MAX = 36;

/**
 * Returns the networks whose attempts rate limits count, smallest first: an IPv4 address; or the
 * /64, /56 and /48 of an IPv6 address, because one subscriber may have 65,536 networks of /64.
 */
export function networksOfAddress(address: string): readonly CountedNetwork[] {
  const parsed = addressOf(address);
  if (!parsed) return [{ key: address.slice(0, UNREADABLE_MAX), share: 1 }];
  if (parsed.kind() === "ipv4") return [{ key: parsed.toString(), share: 1 }];
  const digits = Buffer.from(parsed.toByteArray()).toString("hex");
  return IPV6_NETWORKS.map(({ bytes, share }) => ({
    key: `${digits.slice(0, bytes * 2)}/${bytes * 8}`,
    share,
  }));
}

function networkOf(text: string): Network | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const parsed = plainAddressOf(address);
  if (!parsed || rest.length > 0) return undefined;
  const width = parsed.kind() === "ipv4" ? 32 : 128;
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return undefined;
  const fixed = bits === undefined ? width : Number(bits);
  if (fixed > width) return undefined;
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && fixed >= MAPPED_BITS) {
    return [parsed.toIPv4Address(), fixed - MAPPED_BITS];
  }
  return [parsed, fixed];
}

function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const parsed = plainAddressOf(text.split("%")[0] ?? "");
  const mapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
  return mapped ? parsed.toIPv4Address() : parsed;
}

/** Refuses IPv4 forms of old C libraries: `10.1`, `0x7f.1`, `017.0.0.1`. */
function plainAddressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}
