import type { Consumer } from "./delivery.ts";
import type { AuditLog, Outbox } from "./ports.ts";

/** Writes every event into the audit log. The log refuses repeats, so a retry is harmless. */
export function auditConsumer(log: AuditLog): Consumer {
  return { name: "audit", handle: (events) => log.append(events) };
}

const EVENTS_AT_ONCE = 100;

/**
 * Writes pending events into the audit log, so that a reader sees all events even when no host is
 * running.
 */
export async function drainAudit(outbox: Outbox, audit: AuditLog): Promise<void> {
  for (;;) {
    const events = await outbox.pending("audit", EVENTS_AT_ONCE);
    if (events.length === 0) return;
    await audit.append(events);
    await outbox.delivered(
      "audit",
      events.map(({ id }) => id),
    );
  }
}
