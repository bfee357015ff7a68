import type { WebhookDelivery, WebhookRow } from "@sealhouse/events";

/** A subscription as JSON, without secrets. */
export function shownWebhook(row: WebhookRow) {
  const {
    id,
    url,
    events,
    format,
    origin,
    isEnabled,
    reason,
    secret,
    formerEndsAt,
    includesPrivate,
    allowsPrivateNetwork,
  } = row;
  return {
    id,
    url,
    events,
    format,
    origin,
    enabled: isEnabled,
    includesPrivate,
    allowsPrivateNetwork,
    ...(reason !== undefined && { reason }),
    signed: secret !== undefined,
    ...(formerEndsAt && { formerSecretUntil: formerEndsAt.toISOString() }),
    createdAt: row.createdAt.toISOString(),
  };
}

export function lineOfWebhook(row: WebhookRow): string {
  const { id, url, events, format, origin, enabled, reason, signed, ...shown } = shownWebhook(row);
  return [
    id,
    url,
    events.length === 0 ? "all events" : events.join(","),
    format,
    enabled ? "enabled" : ["disabled", ...(reason === undefined ? [] : [reason])].join(": "),
    ...(signed ? [] : ["unsigned"]),
    ...(shown.includesPrivate ? ["includes private names"] : []),
    ...(shown.allowsPrivateNetwork ? ["may be in a private network"] : []),
    `from the ${origin}`,
  ].join("  ");
}

/** A delivery as JSON, without its body. */
export function shownDelivery(delivery: WebhookDelivery) {
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
    log,
  };
}

export function lineOfDelivery(delivery: WebhookDelivery): string {
  const { id, createdAt, webhook, type, subject, state, attempts, nextAttempt, log } =
    shownDelivery(delivery);
  const last = log.at(-1);
  return [
    id,
    createdAt,
    webhook,
    type,
    subject,
    state,
    `${attempts} attempts`,
    ...(nextAttempt === undefined ? [] : [`next ${nextAttempt}`]),
    ...(last?.status === undefined ? [] : [`status ${last.status}`]),
    ...(last?.error === undefined ? [] : [last.error]),
  ].join("  ");
}
