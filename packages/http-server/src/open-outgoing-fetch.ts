import { createOutgoingFetch } from "./outgoing-fetch.ts";

/** `fetch` for requests of the host and its commands to other servers. */
export function openOutgoingFetch(host: { readonly allowPrivateAddresses: boolean }): typeof fetch {
  return createOutgoingFetch({
    allowPrivate: host.allowPrivateAddresses,
    setting: "Host__OutgoingRequests__AllowPrivateAddresses",
  });
}
