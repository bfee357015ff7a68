import type { AuditLog, Outbox } from "@sealhouse/events";

/** Events, and what becomes of them. */
export type EventParts = {
  /** Rows of events. A command opens them without storage and keys, which may be away. */
  events(): Promise<EventRows>;
};

export type EventRows = {
  readonly outbox: Outbox;
  readonly audit: AuditLog;
};
