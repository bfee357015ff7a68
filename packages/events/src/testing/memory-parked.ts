import type { ParkedEvent, ParkedEvents, ParkedList } from "../ports.ts";

/** Creates parked events in memory that meet the contract. */
export function createMemoryParked(now: () => Date = () => new Date()): ParkedEvents & ParkedList {
  const rows = new Map<string, ParkedEvent>();
  let lastId = 0;
  const changed = (id: string, change: (row: ParkedEvent) => ParkedEvent): boolean => {
    const row = rows.get(id);
    if (row) rows.set(id, change(row));
    return row !== undefined;
  };
  const withNext = ({ nextAt: _old, ...row }: ParkedEvent, nextAt: Date | undefined) => ({
    ...row,
    ...(nextAt && { nextAt }),
  });
  return {
    async park(consumer, event, { error, nextAt }) {
      const isSame = (row: ParkedEvent) => row.consumer === consumer && row.event.id === event.id;
      if ([...rows.values()].some(isSame)) return;
      lastId += 1;
      const row = { id: String(lastId), consumer, event, attempts: 0, error, parkedAt: now() };
      rows.set(row.id, withNext(row, nextAt));
    },
    async waiting(consumer, limit) {
      return [...rows.values()]
        .filter((row) => row.consumer === consumer && row.nextAt !== undefined)
        .toSorted((row, other) => Number(row.event.id) - Number(other.event.id))
        .slice(0, limit);
    },
    async claim({ id, attempts }, nextAt) {
      if (rows.get(id)?.attempts !== attempts) return false;
      return changed(id, (row) => ({ ...row, attempts: attempts + 1, nextAt }));
    },
    async fail(id, { error, nextAt }) {
      changed(id, (row) => withNext({ ...row, error }, nextAt));
    },
    async remove(id) {
      return rows.delete(id) ? "removed" : "absent";
    },
    async list({ dead, before, limit }) {
      return [...rows.values()]
        .filter(({ nextAt }) => !dead || nextAt === undefined)
        .filter(({ id }) => before === undefined || Number(id) < Number(before))
        .toReversed()
        .slice(0, limit);
    },
    async replay(id) {
      const isKnown = changed(id, (row) => ({ ...row, attempts: 0, nextAt: now() }));
      return isKnown ? "replayed" : "absent";
    },
    async count() {
      const waiting = [...rows.values()].filter(({ nextAt }) => nextAt !== undefined).length;
      return { waiting, dead: rows.size - waiting };
    },
  };
}
