import { isIP } from "node:net";

/** `localhost`, names below it and addresses of the loopback network; with or without a port. */
export function isLoopbackHost(host: string): boolean {
  if (host === "::1" || /^\[::1\](?::\d+)?$/.test(host)) return true;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  return isIP(name) === 4 && name.startsWith("127.");
}
