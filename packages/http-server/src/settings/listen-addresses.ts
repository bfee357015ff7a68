import type { ListenAddress } from "../server.ts";

const ADDRESS =
  /^(?<protocol>https?):\/\/(?<host>\+|\*|\[[0-9a-f:.]+\]|[\w.-]+)(?::(?<port>\d{1,5}))?\/?$/i;

/**
 * Reads addresses in the form of `ASPNETCORE_URLS`: `http://+:8080;https://localhost:8443`. Reports
 * each text that is not one.
 */
export function parseListenAddresses(
  text: string,
  report: (problem: string) => void,
): readonly ListenAddress[] {
  const texts = text
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (texts.length === 0) report("names no address to listen on");
  return texts.flatMap((part) => {
    const address = parseListenAddress(part);
    if (address) return [address];
    report(
      `"${part}" is not an address to listen on; allowed: http://host:port and ` +
        "https://host:port, host being a name, an address, + or *",
    );
    return [];
  });
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
