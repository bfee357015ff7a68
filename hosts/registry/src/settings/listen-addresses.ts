import type { ListenAddress } from "@sealhouse/http-server";
import type { Settings } from "./settings.ts";

const ADDRESS =
  /^(?<protocol>https?):\/\/(?<host>\+|\*|\[[0-9a-f:.]+\]|[\w.-]+)(?::(?<port>\d{1,5}))?\/?$/i;

/** Reads `ASPNETCORE_URLS`: `http://+:8080;https://localhost:8443`. */
export function parseListenAddresses(settings: Settings): readonly ListenAddress[] {
  const texts = settings
    .get("ASPNETCORE_URLS")
    .split(/[;,]/)
    .map((text) => text.trim())
    .filter((text) => text !== "");
  const addresses = texts.map((text) => ({ text, address: parseListenAddress(text) }));
  for (const { text } of addresses.filter((one) => one.address === undefined)) {
    settings.problem(
      "ASPNETCORE_URLS",
      `"${text}" is not an address to listen on; allowed: http://host:port and ` +
        "https://host:port, host being a name, an address, + or *",
    );
  }
  if (texts.length === 0) settings.problem("ASPNETCORE_URLS", "names no address to listen on");
  return addresses.flatMap(({ address }) => (address ? [address] : []));
}

function parseListenAddress(text: string): ListenAddress | undefined {
  const parts = ADDRESS.exec(text)?.groups;
  if (!parts) return undefined;
  const protocol = parts["protocol"]?.toLowerCase() === "https" ? "https" : "http";
  const port = Number(parts["port"] ?? (protocol === "https" ? 443 : 80));
  if (port > 65_535) return undefined;
  return { protocol, hosts: hostsOf(parts["host"] ?? "+", port), port, text };
}

/** A free port is found for one host only, so `localhost:0` is IPv4 alone. */
function hostsOf(host: string, port: number): readonly (string | undefined)[] {
  if (host === "+" || host === "*") return [undefined];
  if (host.toLowerCase() === "localhost") return port === 0 ? ["127.0.0.1"] : ["127.0.0.1", "::1"];
  return [host.replace(/^\[|\]$/g, "")];
}
