import {
  createDefaultHeaders,
  createRequestContexts,
  createRequestGate,
  isLoopbackHost,
} from "@sealhouse/http-server";
import type {
  ListenAddress,
  RequestContexts,
  RequestGate,
  SetDefaultHeaders,
} from "@sealhouse/http-server";
import { openRequestDecisions } from "@sealhouse/identity";
import type { RequestDecisions } from "@sealhouse/identity";
import { createsRefreshToken } from "@sealhouse/oci-distribution";
import type { Config } from "../settings/config.ts";

/** Decisions about every request that the host makes before it calls a surface. */
export type Edge = {
  readonly contexts: RequestContexts<RequestDecisions>;
  readonly gate: RequestGate;
  readonly setDefaultHeaders: SetDefaultHeaders;
};

export function openEdge({ development, feed, host }: Config): Edge {
  const { publicBaseUrls, npm, oci, anonymousPull } = feed;
  const contexts = createRequestContexts({
    trustedProxies: host.trustedProxies,
    publicBaseUrls,
    hostNames: { npm: npm.hostNames, segments: oci.segments },
    believesLoopback: development,
    openDecisions: openRequestDecisions,
  });
  const gate = createRequestGate({
    publicBaseUrls,
    hostNames: [...npm.hostNames, ...oci.segments.flatMap(({ hostNames }) => hostNames)],
    development,
    loopbackOnly: host.addresses.every(isLoopback),
    publicAddressOf: (connection) => contexts.publicAddressOf(connection),
    isChangingRead: createsRefreshToken,
  });
  // A feed that requires a token for reading has no public documents.
  const corsOrigins = anonymousPull ? host.corsOrigins : [];
  return {
    contexts,
    gate,
    setDefaultHeaders: createDefaultHeaders({ publicBaseUrls, corsOrigins }),
  };
}

function isLoopback({ hosts }: ListenAddress): boolean {
  return hosts.every((host) => host !== undefined && isLoopbackHost(host));
}
