import { isLoopbackHost } from "./loopback.ts";
import type { Config } from "../settings/config.ts";
import type { ListenAddress } from "../settings/listen-addresses.ts";
import { createRequestContexts } from "./request-context.ts";
import type { RequestContexts } from "./request-context.ts";
import { createRequestGate } from "./request-gate.ts";
import type { RequestGate } from "./request-gate.ts";
import { createSetStanding } from "./standing-headers.ts";
import type { SetStanding } from "./standing-headers.ts";

/** What is decided about every request before a surface is asked, and by no surface. */
export type Edge = {
  readonly contexts: RequestContexts;
  readonly gate: RequestGate;
  readonly setStanding: SetStanding;
};

export function openEdge({ development, feed, host }: Config): Edge {
  const { publicBaseUrls, npm, oci, anonymousPull } = feed;
  const contexts = createRequestContexts({
    trustedProxies: host.trustedProxies,
    publicBaseUrls,
    hostNames: { npm: npm.hostNames, segments: oci.segments },
    believesLoopback: development,
  });
  const gate = createRequestGate({
    publicBaseUrls,
    hostNames: [...npm.hostNames, ...oci.segments.flatMap(({ hostNames }) => hostNames)],
    development,
    loopbackOnly: host.addresses.every(isLoopback),
    publicAddressOf: (arrival) => contexts.publicAddressOf(arrival),
  });
  // Where reading takes a token, there is nothing that anybody may read.
  const corsOrigins = anonymousPull ? host.corsOrigins : [];
  return { contexts, gate, setStanding: createSetStanding({ publicBaseUrls, corsOrigins }) };
}

function isLoopback({ hosts }: ListenAddress): boolean {
  return hosts.every((one) => one !== undefined && isLoopbackHost(one));
}
