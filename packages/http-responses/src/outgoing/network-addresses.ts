import { BlockList, isIP } from "node:net";

/**
 * Where an address lies. `public`: in the internet. `private`: in a network that the internet does
 * not reach, or in one that no server uses. `metadata`: at a service that tells a machine its own
 * secrets.
 */
export type AddressKind = "public" | "private" | "metadata";

type Network = readonly [address: string, bits: number];

/**
 * Link-local addresses, where all clouds have a metadata service, and three that lie elsewhere:
 * those of Azure, Alibaba and Oracle's older one.
 */
const METADATA_IPV4: readonly Network[] = [
  ["169.254.0.0", 16],
  ["168.63.129.16", 32],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
];

/** Addresses of AWS (instances, pods) and Google. */
const METADATA_IPV6: readonly Network[] = [
  ["fd00:ec2::254", 128],
  ["fd00:ec2::23", 128],
  ["fd20:ce::254", 128],
];

/**
 * Networks of IANA's special-purpose registry for IPv4 that are not globally reachable, and
 * multicast. 192.88.99.0/24 was the relay of 6to4.
 */
const PRIVATE_IPV4: readonly Network[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/**
 * Networks of IANA's special-purpose registry for IPv6 that are not globally reachable, those of
 * protocols that carry another address (Teredo in 2001::/23, 6to4), site-local addresses and
 * multicast. No server uses the reachable parts of 2001::/23.
 */
const PRIVATE_IPV6: readonly Network[] = [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["100:0:0:1::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 9],
  ["ff00::", 8],
];

/** Names of metadata services. A proxy resolves names itself, so their address is not seen here. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);

const METADATA = blockList(METADATA_IPV4, METADATA_IPV6);
const PRIVATE = blockList(PRIVATE_IPV4, PRIVATE_IPV6);

/**
 * Returns the kind of an IPv4 or IPv6 address. An IPv4 address inside an IPv6 one counts as itself.
 * A text that is not an address is `private`.
 */
export function addressKind(address: string): AddressKind {
  const [text = ""] = address.split("%");
  const family = isIP(text);
  if (family === 0) return "private";
  const type = family === 4 ? "ipv4" : "ipv6";
  if (METADATA.check(text, type)) return "metadata";
  return PRIVATE.check(text, type) ? "private" : "public";
}

/**
 * Returns the kind of the host of a URL, as far as its text tells. Undefined for other names, whose
 * addresses are known when a connection is made.
 */
export function hostKind({ hostname }: Pick<URL, "hostname">): AddressKind | undefined {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  if (isIP(host) !== 0) return addressKind(host);
  if (METADATA_NAMES.has(host)) return "metadata";
  return host === "localhost" || host.endsWith(".localhost") ? "private" : undefined;
}

function blockList(ipv4: readonly Network[], ipv6: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ipv4) {
    // It finds IPv4-mapped addresses (::ffff:10.0.0.1) as well.
    list.addSubnet(address, bits, "ipv4");
    for (const [carrier, length] of carriersOf(address, bits)) {
      list.addSubnet(carrier, length, "ipv6");
    }
  }
  for (const [address, bits] of ipv6) list.addSubnet(address, bits, "ipv6");
  return list;
}

/** The IPv6 networks that carry an IPv4 network (RFC 4291, 2765, 6052, 8215 and 3056). */
function carriersOf(address: string, bits: number): readonly Network[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const hex = (high: number, low: number) => (high * 256 + low).toString(16);
  return [
    [`::${address}`, 96 + bits],
    [`::ffff:0:${address}`, 96 + bits],
    [`64:ff9b::${address}`, 96 + bits],
    [`64:ff9b:1::${address}`, 96 + bits],
    [`2002:${hex(a, b)}:${hex(c, d)}::`, 16 + bits],
  ];
}
