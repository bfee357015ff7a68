import { isLoopbackHost } from "./loopback.ts";
import type { RequestConnection } from "./request-connection.ts";

/** Headers that only proxies send. */
const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

/** Whether a request comes from this machine, without a proxy. */
export function isLocalPeer({ peer, header }: Pick<RequestConnection, "peer" | "header">): boolean {
  if (peer === undefined || PROXY_HEADERS.some((name) => header(name) !== undefined)) return false;
  return isLoopbackHost(peer.replace(/^::ffff:/, ""));
}
