export { auditConsumer } from "./audit-consumer.ts";
export { auditRetentionJob } from "./audit-retention-job.ts";
export { openDelivery } from "./delivery.ts";
export type { Consumer, Delivery, DeliveryFailure, DeliveryOptions } from "./delivery.ts";
export { drainAudit } from "./drain-audit.ts";
export { EVENT_TYPES, SYSTEM } from "./event.ts";
export type { EventType, NewEvent, RegistryEvent } from "./event.ts";
export type { AuditLog, AuditQuery, Outbox } from "./ports.ts";
export { SecretInEventError, withoutSecrets } from "./secret-guard.ts";
