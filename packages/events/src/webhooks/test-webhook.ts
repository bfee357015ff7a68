import type { Caller } from "@sealhouse/request-types";
import { bodyOf, CONTENT_TYPES } from "./bodies.ts";
import type { EventSource } from "./bodies.ts";
import { postWebhook } from "./post-webhook.ts";
import type { PostAnswer, PostOptions } from "./post-webhook.ts";
import { messageHeaders } from "./signature.ts";
import type { WebhookRow } from "./webhook.ts";

/** Sends a made-up `webhook.changed` event to a subscription at once; no row is written. */
export function testWebhook(
  webhook: WebhookRow,
  options: PostOptions & {
    readonly secrets: readonly string[];
    readonly source: EventSource;
    /** Unique; part of the id of the message. */
    readonly id: string;
    readonly caller: Caller;
  },
): Promise<PostAnswer> {
  const { secrets, source, id, caller, now } = options;
  const type = "webhook.changed";
  const event = {
    id: `test-${id}`,
    type,
    subject: `webhook/${webhook.id}`,
    at: now(),
    caller,
    detail: { change: "test" },
  } as const;
  const body = bodyOf(event, source, webhook.format);
  const messageId = `${source.registryId}-test-${id}`;
  const headers = {
    "content-type": CONTENT_TYPES[webhook.format],
    ...messageHeaders({ id: messageId, time: now(), type, body, secrets }),
  };
  return postWebhook({ url: webhook.url, headers, body }, options);
}
