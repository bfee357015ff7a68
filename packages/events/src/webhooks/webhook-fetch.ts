import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { Webhook } from "./webhook.ts";

/** Setting that allows private addresses to all webhooks. */
const SETTING = "Host__Webhooks__AllowPrivateAddresses";

/** The sentence about how to allow a webhook an address in a private network. */
const ALLOW_PRIVATE =
  "To allow it: sealhouse webhook allow-private-network ID; AllowPrivateNetwork of a webhook in " +
  `the settings; or ${SETTING}=true for all.`;

/** Returns the `fetch` for deliveries of a webhook. */
export type WebhookFetch = (webhook: Pick<Webhook, "allowsPrivateNetwork">) => Fetch;

/**
 * Chooses the addresses that deliveries may call. `openFetch` has to check the address of each
 * connection, and to refuse metadata services whatever `allowPrivate` is.
 */
export function createWebhookFetch(
  openFetch: (options: { readonly allowPrivate: boolean; readonly advice?: string }) => Fetch,
  { allowPrivateAddresses }: { readonly allowPrivateAddresses: boolean },
): WebhookFetch {
  const toPublic = openFetch({ allowPrivate: allowPrivateAddresses, advice: ALLOW_PRIVATE });
  const toAll = openFetch({ allowPrivate: true });
  return ({ allowsPrivateNetwork }) => (allowsPrivateNetwork ? toAll : toPublic);
}
