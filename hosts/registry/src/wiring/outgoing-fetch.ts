import { createOutgoingFetch } from "@sealhouse/http-server";
import type { OpenFetch } from "@sealhouse/upstream-sources";
import type { HostConfig } from "../settings/config.ts";

/** The settings of requests to other servers. */
export type OutgoingConfig = Pick<HostConfig, "allowPrivateAddresses" | "outgoingProxy">;

/** `fetch` for requests of the host and its commands to other servers. */
export function openOutgoingFetch(host: OutgoingConfig): typeof fetch {
  return createOutgoingFetch({
    allowPrivate: host.allowPrivateAddresses,
    setting: "Host__OutgoingRequests__AllowPrivateAddresses",
    proxy: host.outgoingProxy,
  });
}

/** Returns the `fetch` of calls to package sources. */
export function openFetchForSources({
  outgoingProxy: proxy,
}: Pick<OutgoingConfig, "outgoingProxy">): OpenFetch {
  return (options) =>
    createOutgoingFetch({
      ...options,
      setting: "AllowPrivateNetwork of the package source",
      proxy,
    });
}
