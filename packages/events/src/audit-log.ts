import type { Consumer } from "./delivery.ts";
import type { RegistryEvent } from "./event.ts";
import type { AuditLog, AuditQuery, Outbox } from "./ports.ts";

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

const RECORDS_AT_ONCE = 500;

/** Reads all records that match, page by page. */
export async function* auditRecords(
  audit: Pick<AuditLog, "read">,
  query: Omit<AuditQuery, "after" | "limit">,
): AsyncGenerator<RegistryEvent> {
  for (let after: string | undefined; ;) {
    const page = { ...query, limit: RECORDS_AT_ONCE, ...(after !== undefined && { after }) };
    const { records, next } = await audit.read(page);
    yield* records;
    if (next === undefined) return;
    after = next;
  }
}
