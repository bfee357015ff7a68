import { AuditRecord, Event, EventCursor, EventDelivery } from "./event.ts";
import { Mail, ParkedEvent, Webhook, WebhookDelivery } from "./event-queues.ts";

/** The entities of events, webhooks and mail. */
export const EVENT_ENTITIES = [
  AuditRecord,
  Event,
  EventCursor,
  EventDelivery,
  Mail,
  ParkedEvent,
  Webhook,
  WebhookDelivery,
];
