import { ActionJob, IdempotentAnswer } from "./administration.ts";
import { AuditRecord, Event, EventCursor, EventDelivery } from "./event.ts";
import { Mail, ParkedEvent, Webhook, WebhookDelivery } from "./event-queues.ts";

/** The entities of events, webhooks, mail and the API of administrators. */
export const EVENT_ENTITIES = [
  ActionJob,
  AuditRecord,
  Event,
  EventCursor,
  EventDelivery,
  IdempotentAnswer,
  Mail,
  ParkedEvent,
  Webhook,
  WebhookDelivery,
];
