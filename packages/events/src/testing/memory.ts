import type { RegistryEvent } from "../event.ts";
import type { AuditLog } from "../ports.ts";
import { withoutSecrets } from "../secret-guard.ts";
import type { OutboxSubject } from "./contracts.ts";

/** An outbox in memory, under the same contract as the databases. */
export function createMemoryOutbox(now: () => Date = () => new Date()): OutboxSubject {
  const events: RegistryEvent[] = [];
  const progress = new Map<string, Set<string>>();
  const deliveredTo = (consumer: string) => {
    const ids = progress.get(consumer) ?? new Set();
    progress.set(consumer, ids);
    return ids;
  };

  return {
    async record(written) {
      for (const event of written) withoutSecrets(event);
      for (const event of written) {
        events.push({ ...event, id: String(events.length + 1), at: now() });
      }
    },
    outbox: {
      async pending(consumer, limit) {
        const delivered = deliveredTo(consumer);
        return events.filter((event) => !delivered.has(event.id)).slice(0, limit);
      },
      async delivered(consumer, ids) {
        for (const id of ids) deliveredTo(consumer).add(id);
      },
    },
  };
}

/** An audit log in memory, under the same contract as the databases. */
export function createMemoryAuditLog(): AuditLog {
  const events = new Map<string, RegistryEvent>();
  return {
    async append(appended) {
      for (const event of appended) if (!events.has(event.id)) events.set(event.id, event);
    },
    async latest(limit) {
      return [...events.values()].toReversed().slice(0, limit);
    },
  };
}
