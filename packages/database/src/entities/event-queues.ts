import { defineEntity, p } from "@mikro-orm/core";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";
import { eventColumns } from "./event.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** An event that a consumer of the outbox could not take. It delays no other event. */
export const ParkedEvent = defineEntity({
  name: "ParkedEvent",
  tableName: "parked_events",
  uniques: [{ properties: ["consumer", "eventId"] }],
  properties: {
    id: rowId(),
    consumer: key(64),
    eventId: big(),
    ...eventColumns(),
    attempts: big(),
    /** Null: no further attempt unless it is replayed. */
    nextAt: time().nullable(),
    error: longText(),
    parkedAt: time(),
  },
});

/** A subscription: a URL that gets events. */
export const Webhook = defineEntity({
  name: "Webhook",
  tableName: "webhooks",
  properties: {
    id: key(NAME_LENGTH.webhookId).primary(),
    url: longText(),
    /** JSON list of event types; empty: all. */
    events: longText(),
    format: key(16),
    /** `database` or `settings`. */
    origin: key(16),
    enabled: p.boolean(),
    /** `private`: events about names that are not public, too; null: public names only. */
    includes: key(16).nullable(),
    /** `private`: receivers in private networks, too; null: public addresses only. */
    reaches: key(16).nullable(),
    /** Why the registry disabled it; null otherwise. */
    reason: longText().nullable(),
    /** Encrypted with the key ring. */
    secret: bytes().nullable(),
    /** The secret before a rotation, encrypted. */
    formerSecret: bytes().nullable(),
    formerEndsAt: time().nullable(),
    createdAt: time(),
  },
});

/** One event for one subscription. */
export const WebhookDelivery = defineEntity({
  name: "WebhookDelivery",
  tableName: "webhook_deliveries",
  uniques: [{ properties: ["webhookId", "eventId"] }],
  indexes: [
    { properties: ["webhookId", "state", "eventId"] },
    { properties: ["state", "nextAt"] },
    { properties: ["webhookId", "orderKey", "eventId"] },
    { properties: ["webhookId", "state", "nextAt"] },
  ],
  properties: {
    id: rowId(),
    webhookId: key(NAME_LENGTH.webhookId),
    eventId: big(),
    type: key(64),
    subject: key(NAME_LENGTH.subject),
    /** JSON list of the names that the event has: `npm/@acme/bar`. */
    names: longText(),
    /** Deliveries with the same key keep their order: a hash of the subject. */
    orderKey: key(64),
    /** The bytes to send, as text. */
    body: longText(),
    /** `waiting`, `delivered`, `withheld` or `dead`. */
    state: key(16),
    attempts: big(),
    nextAt: time().nullable(),
    /** JSON list of the last attempts. */
    log: longText(),
    createdAt: time(),
    doneAt: time().nullable(),
  },
});

/** A mail to one recipient. */
export const Mail = defineEntity({
  name: "Mail",
  tableName: "mails",
  uniques: [{ properties: ["mailKey"] }],
  indexes: [{ properties: ["state", "nextAt"] }],
  properties: {
    id: rowId(),
    /** Hash of its cause and recipient, so that nothing is mailed twice. */
    mailKey: key(64),
    template: key(32),
    recipient: longText(),
    subject: longText(),
    body: longText(),
    /** `waiting`, `sending`, `sent`, `failed` or `unknown`. */
    state: key(16),
    attempts: big(),
    nextAt: time().nullable(),
    error: longText().nullable(),
    createdAt: time(),
    doneAt: time().nullable(),
  },
});
