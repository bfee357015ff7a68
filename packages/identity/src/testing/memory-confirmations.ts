import type { ConfirmationRecord, ConfirmationStore } from "../sessions/confirmations.ts";

/** Forms that wait for a confirmation in memory, under the same contract as the databases. */
export function createMemoryConfirmations(): ConfirmationStore {
  const records = new Map<string, ConfirmationRecord>();
  return {
    async add(record, ofSessionMax) {
      for (const { hash, expiresAt } of records.values()) {
        if (expiresAt <= record.createdAt) records.delete(hash);
      }
      const own = [...records.values()]
        .filter(({ sessionHash }) => sessionHash === record.sessionHash)
        .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
      const surplus = Math.max(own.length - ofSessionMax + 1, 0);
      for (const { hash } of own.slice(0, surplus)) records.delete(hash);
      records.set(record.hash, record);
    },
    find: async (hash) => records.get(hash),
    async confirm(hash, at) {
      const record = records.get(hash);
      if (record) records.set(hash, { ...record, confirmedAt: at });
      return record !== undefined;
    },
    take: async (hash) => records.delete(hash),
  };
}
