import type { WebhookDelivery, WebhookRow } from "@sealhouse/events";
import { z } from "zod";

export const WEBHOOK = z
  .strictObject({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()).describe("Types of events, or their first parts; empty: all."),
    format: z.enum(["CloudEvents", "Legacy"]),
    origin: z.enum(["database", "settings"]),
    enabled: z.boolean(),
    includesPrivate: z.boolean().describe("It gets events about private and internal names."),
    allowsPrivateNetwork: z.boolean(),
    reason: z.string().optional().describe("Why the registry disabled it."),
    signed: z.boolean(),
    formerSecretUntil: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "Webhook", title: "A URL that gets events" });

/** A webhook as the API and commands show it, without secrets. */
export type ShownWebhook = z.output<typeof WEBHOOK>;

export function shownWebhook(row: WebhookRow): ShownWebhook {
  const { id, url, events, format, origin, isEnabled, reason, secret, formerEndsAt } = row;
  return {
    id,
    url,
    events: [...events],
    format,
    origin,
    enabled: isEnabled,
    includesPrivate: row.includesPrivate,
    allowsPrivateNetwork: row.allowsPrivateNetwork,
    ...(reason !== undefined && { reason }),
    signed: secret !== undefined,
    ...(formerEndsAt && { formerSecretUntil: formerEndsAt.toISOString() }),
    createdAt: row.createdAt.toISOString(),
  };
}

export const DELIVERY = z
  .strictObject({
    id: z.string(),
    webhook: z.string(),
    event: z.string(),
    type: z.string(),
    subject: z.string(),
    state: z
      .enum(["waiting", "delivered", "withheld", "dead"])
      .describe("withheld: a name was not public. dead: it is not tried again."),
    attempts: z.int(),
    nextAttempt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
    log: z
      .array(
        z.strictObject({
          at: z.string(),
          durationMs: z.number(),
          status: z.int().optional(),
          error: z.string().optional(),
        }),
      )
      .describe("The last attempts, oldest first."),
  })
  .meta({ id: "WebhookDelivery", title: "An event for one webhook" });

/** A delivery as the API and commands show it, without its body. */
export type ShownDelivery = z.output<typeof DELIVERY>;

export function shownDelivery(delivery: WebhookDelivery): ShownDelivery {
  const { id, webhookId, eventId, type, subject, state, attempts, nextAt, log } = delivery;
  return {
    id,
    webhook: webhookId,
    event: eventId,
    type,
    subject,
    state,
    attempts,
    ...(nextAt && state === "waiting" && { nextAttempt: nextAt.toISOString() }),
    createdAt: delivery.createdAt.toISOString(),
    log: log.map((attempt) => ({ ...attempt })),
  };
}
