import type { WebhookRow } from "@sealhouse/events";
import { checkAddress } from "@sealhouse/http-responses/outgoing";
import type { AdministrationParts } from "../parts.ts";

const ALLOW_ALL = "Host__Webhooks__AllowPrivateAddresses=true";

/** The address of a receiver, as far as deliveries may call it. */
export type ReceiverCheck = {
  /** The receiver has no address now. */
  readonly warning?: string;
  /** Deliveries must not call it. `option` are the words that allow a private address. */
  readonly refusal?: (option: string) => string;
};

/** Looks up a receiver, and checks its addresses as deliveries do. */
export async function checkReceiver(
  { parts, signal }: { readonly parts: AdministrationParts; readonly signal: AbortSignal },
  receiver: Pick<WebhookRow, "url" | "allowsPrivateNetwork">,
): Promise<ReceiverCheck> {
  const url = URL.parse(receiver.url);
  if (!url) return {};
  const allowPrivate = parts.webhooks.allowsPrivateAddresses() || receiver.allowsPrivateNetwork;
  const checked = await checkAddress(url, { allowPrivate }, signal);
  if (checked.status === "reachable") return {};
  if (checked.status === "unreachable") {
    return { warning: `The receiver has no address: ${checked.reason}.` };
  }
  const { reason, isPrivate } = checked;
  const advice = (option: string) =>
    isPrivate ? ` To allow it: ${option}, or ${ALLOW_ALL} for all webhooks` : "";
  return { refusal: (option) => `${reason}.${advice(option)}` };
}

/** The command that allows a stored webhook a private address. */
export function allowing(id: string): string {
  return `sealhouse webhook allow-private-network ${id}`;
}

/** The sentence about a webhook whose receiver is refused. */
export function failingWords({ refusal }: ReceiverCheck, id: string): string | undefined {
  return refusal && `Deliveries to it fail: ${refusal(allowing(id))}`;
}
