import { defineEntity } from "@mikro-orm/core";
import { big, key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

export const eventColumns = () => ({
  type: key(64),
  subject: key(NAME_LENGTH.subject),
  actor: key(NAME_LENGTH.actor),
  tokenId: key(NAME_LENGTH.tokenId).nullable(),
  address: key(NAME_LENGTH.address).nullable(),
  requestId: key(NAME_LENGTH.requestId).nullable(),
  /** JSON text. */
  detail: longText().nullable(),
  at: time(),
});

/** The outbox: written in the transaction of what happened. */
export const Event = defineEntity({
  name: "Event",
  tableName: "events",
  properties: { id: rowId(), ...eventColumns() },
});

/** An event that a consumer has dealt with, above that consumer's settled mark. */
export const EventDelivery = defineEntity({
  name: "EventDelivery",
  tableName: "event_deliveries",
  properties: {
    consumer: key(64).primary(),
    eventId: big().primary(),
  },
});

/** All events up to this one are dealt with, and none can still appear below it. */
export const EventCursor = defineEntity({
  name: "EventCursor",
  tableName: "event_cursors",
  properties: {
    consumer: key(64).primary(),
    settledId: big(),
  },
});

/** Append-only; outlives the outbox. */
export const AuditRecord = defineEntity({
  name: "AuditRecord",
  tableName: "audit_log",
  indexes: [
    { properties: ["at"] },
    { properties: ["actor", "at"] },
    { properties: ["subject", "at"] },
    { properties: ["type", "at"] },
  ],
  properties: { eventId: big().primary().autoincrement(false), ...eventColumns() },
});
