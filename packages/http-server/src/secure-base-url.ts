import type { ListenAddress } from "./server.ts";

/**
 * Returns the address that signatures name: https, and the same for all requests. `assumed`: the
 * configuration has no https address.
 */
export function secureBaseUrl({
  publicBaseUrls,
  addresses: [address],
}: {
  readonly publicBaseUrls: readonly string[];
  readonly addresses: readonly ListenAddress[];
}): { readonly url: string; readonly assumed: boolean } {
  const [first] = publicBaseUrls;
  const secure = publicBaseUrls.find((url) => url.startsWith("https://"));
  if (secure !== undefined) return { url: secure, assumed: false };
  if (first !== undefined) return { url: first.replace(/^http:/, "https:"), assumed: true };
  const host = address?.hosts.length === 1 ? (address.hosts[0] ?? "localhost") : "localhost";
  const port = address && ![80, 443].includes(address.port) ? `:${address.port}` : "";
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: `https://${name}${port}`, assumed: true };
}
