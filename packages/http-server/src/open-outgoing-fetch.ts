import { createOutgoingFetch } from "./outgoing-fetch.ts";
import type { OutgoingProxy } from "./outgoing-proxy.ts";

/** The settings of requests to other servers. */
export type OutgoingConfig = {
  readonly allowPrivateAddresses: boolean;
  readonly outgoingProxy: OutgoingProxy | undefined;
};

/** `fetch` for requests of the host and its commands to other servers. */
export function openOutgoingFetch(host: OutgoingConfig): typeof fetch {
  return createOutgoingFetch({
    allowPrivate: host.allowPrivateAddresses,
    setting: "Host__OutgoingRequests__AllowPrivateAddresses",
    proxy: host.outgoingProxy,
  });
}
