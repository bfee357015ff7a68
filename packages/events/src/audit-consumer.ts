import type { Consumer } from "./delivery.ts";
import type { AuditLog } from "./ports.ts";

/** Writes every event into the audit log. The log refuses repeats, so a retry is harmless. */
export function auditConsumer(log: AuditLog): Consumer {
  return { name: "audit", handle: (events) => log.append(events) };
}
