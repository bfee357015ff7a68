import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Readiness } from "@sealhouse/administration";
import type { ListenAddress } from "@sealhouse/http-server";
import type { Command } from "./command.ts";
import { CommandError } from "./command.ts";

const TIMEOUT_MS = 8_000;
/** Where a host that listens on all interfaces of one IP version answers. */
const LOOPBACK = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/**
 * Asks the host on this machine, at the first address of its settings, whether it is ready: whether
 * `/health/ready` answers 200 within eight seconds.
 *
 * @throws CommandError when no host answers
 */
export async function readinessHere(
  { load }: Pick<Command, "load">,
  stop: AbortSignal,
): Promise<Readiness> {
  const [address] = load().config.host.addresses;
  if (address === undefined || address.port === 0) {
    throw new CommandError("the port is unknown: set ASPNETCORE_URLS to an address with a port");
  }
  const url = localUrl(address);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  const status = await statusOf(url, signal).catch((error: unknown) => {
    throw new CommandError(`no answer from ${url.href}: ${String(error)}`);
  });
  return { isReady: status === 200, detail: `${url.href} answered ${status}` };
}

/** Readiness of a host that listens on this address. */
function localUrl({ protocol, hosts: [host], port }: ListenAddress): URL {
  const name = host === undefined ? "127.0.0.1" : (LOOPBACK.get(host) ?? host);
  const authority = name.includes(":") ? `[${name}]` : name;
  return new URL(`${protocol}://${authority}:${port}/health/ready`);
}

function statusOf(url: URL, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // The certificate has the public name, and the request does not leave this machine.
  const outgoing =
    url.protocol === "https:"
      ? requestHttps(url, { signal, rejectUnauthorized: false })
      : requestHttp(url, { signal });
  outgoing.once("error", reject);
  outgoing.once("response", (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  outgoing.end();
  return promise;
}
