import type { Consumer } from "../delivery.ts";
import type { RegistryEvent } from "../event.ts";
import { namesIn } from "../event-names.ts";
import { bodyOf } from "./bodies.ts";
import type { EventSource } from "./bodies.ts";
import type { DeliveryQueue, NewDelivery, WebhookRows } from "./ports.ts";
import { isSubscribed } from "./webhook.ts";
import type { Webhook } from "./webhook.ts";

/** Parts of `webhookConsumer`. */
export type WebhookConsumerParts = {
  readonly rows: Pick<WebhookRows, "list">;
  readonly queue: Pick<DeliveryQueue, "add">;
  readonly source: EventSource;
  /** Called after deliveries were added. */
  readonly onAdded: () => void;
};

/**
 * Puts each event into the queue of every enabled subscription that reads its type. The queue
 * refuses repeats, so a retry is harmless. A subscription gets no events from before its creation.
 */
export function webhookConsumer(parts: WebhookConsumerParts): Consumer {
  const { rows, queue, source, onAdded } = parts;
  return {
    name: "webhooks",
    async handle(events) {
      const enabled = (await rows.list()).filter(({ isEnabled }) => isEnabled);
      const deliveries = enabled.flatMap((webhook) =>
        events
          .filter((event) => isSubscribed(webhook, event.type) && event.at >= webhook.createdAt)
          .map((event) => deliveryOf(webhook, event, source)),
      );
      if (deliveries.length === 0) return;
      await queue.add(deliveries);
      onAdded();
    },
  };
}

function deliveryOf(
  { id: webhookId, format }: Webhook,
  event: RegistryEvent,
  source: EventSource,
): NewDelivery {
  const { id: eventId, type, subject } = event;
  const names = namesIn(event);
  return { webhookId, eventId, type, subject, names, body: bodyOf(event, source, format) };
}
