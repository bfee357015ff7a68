import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/**
 * Whether an address is called directly. An entry is `*`, a host, an address or a network, with a
 * port if needed: `intranet.example` also matches the hosts below it, as do `.intranet.example` and
 * `*.intranet.example`. The own machine is always called directly.
 */
export function isWithoutProxy(url: URL, entries: readonly string[]): boolean {
  const host = url.hostname.replaceAll(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return (
    isOwnMachine(host) || entries.some((entry) => matches(entry.trim().toLowerCase(), host, port))
  );
}

function isOwnMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isIn(LOOPBACK, host);
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  if (entry.includes("/")) return isInNetwork(entry, host);
  const { name, wantedPort } = partsOf(entry);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(name) !== 0) return isIn(blockListOf(name), host);
  const domain = name.replace(/^\*?\./, "");
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

/** An IPv6 address with a port is in brackets. */
function partsOf(entry: string): { readonly name: string; readonly wantedPort?: string } {
  if (isIP(entry) !== 0) return { name: entry };
  const [, name = entry, wantedPort] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
  return { name, ...(wantedPort !== undefined && { wantedPort }) };
}

function isInNetwork(entry: string, host: string): boolean {
  const [address = "", bits = ""] = entry.split("/");
  const family = isIP(address);
  const isNetwork = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  if (family === 0 || !isNetwork) return false;
  const network = new BlockList();
  network.addSubnet(address, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return isIn(network, host);
}

function blockListOf(address: string): BlockList {
  const list = new BlockList();
  list.addAddress(address, isIP(address) === 4 ? "ipv4" : "ipv6");
  return list;
}

function isIn(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? "ipv4" : "ipv6");
}
