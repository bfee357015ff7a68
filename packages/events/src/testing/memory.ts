import type { RegistryEvent } from "../event.ts";
import type { AuditLog, AuditQuery, EventReader } from "../ports.ts";
import { withoutSecrets } from "../secret-guard.ts";
import type { OutboxSubject } from "./contracts.ts";

/** Creates an outbox in memory that meets the contract. */
export function createMemoryOutbox(now: () => Date = () => new Date()): OutboxSubject {
  let events: RegistryEvent[] = [];
  let lastId = 0;
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
        lastId += 1;
        events.push({ ...event, id: String(lastId), at: now() });
      }
    },
    outbox: {
      async pending(consumer, limit, types) {
        const delivered = deliveredTo(consumer);
        return events
          .filter((event) => !delivered.has(event.id) && isRead(event, types))
          .slice(0, limit);
      },
      async delivered(consumer, ids) {
        for (const id of ids) deliveredTo(consumer).add(id);
      },
      async trim(readers) {
        const isDone = (event: RegistryEvent) =>
          readers.every(
            ({ name, types }) => deliveredTo(name).has(event.id) || !isRead(event, types),
          );
        const before = events.length;
        events = events.filter((event) => !isDone(event));
        return before - events.length;
      },
    },
  };
}

function isRead({ type }: RegistryEvent, types: EventReader["types"]): boolean {
  return types === undefined || types.includes(type);
}

/** Creates an audit log in memory that meets the contract. */
export function createMemoryAuditLog(): AuditLog {
  const events = new Map<string, RegistryEvent>();
  return {
    async append(appended) {
      for (const event of appended) if (!events.has(event.id)) events.set(event.id, event);
    },
    async read({ order, after, limit, ...query }) {
      const sorted = [...events.values()].toSorted(byKey);
      const all = order === "newest-first" ? sorted.toReversed() : sorted;
      const start = after === undefined ? 0 : all.findIndex((event) => keyOf(event) === after) + 1;
      const matches = all.slice(start).filter(matching(query));
      const records = matches.slice(0, limit);
      const last = records.at(-1);
      return { records, ...(last && matches.length > limit && { next: keyOf(last) }) };
    },
    find: async (id) => events.get(id),
    async trim(before) {
      const old = [...events.values()].filter(({ at }) => at < before);
      for (const { id } of old) events.delete(id);
      return old.length;
    },
  };
}

function byKey(a: RegistryEvent, b: RegistryEvent): number {
  return a.at.getTime() - b.at.getTime() || Number(a.id) - Number(b.id);
}

function keyOf({ at, id }: RegistryEvent): string {
  return `${at.getTime()}-${id}`;
}

function matching(query: Omit<AuditQuery, "order" | "after" | "limit">) {
  const { since, until, types, actor, tokenId, address, subject } = query;
  const isSubject = (text: string) =>
    subject?.endsWith("*") === true ? text.startsWith(subject.slice(0, -1)) : text === subject;
  return (event: RegistryEvent): boolean =>
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until) &&
    (types === undefined || types.includes(event.type)) &&
    (actor === undefined || event.caller.actor === actor) &&
    (tokenId === undefined || event.caller.tokenId === tokenId) &&
    (address === undefined || event.caller.address === address) &&
    (subject === undefined || isSubject(event.subject));
}
