import { tooManyRefreshTokens } from "../refresh-tokens.ts";
import type { RefreshTokenRecord, RefreshTokenStore } from "../refresh-tokens.ts";

/** Refresh tokens in memory, under the same contract as the databases. */
export function createMemoryRefreshTokens(): RefreshTokenStore {
  const records = new Map<string, RefreshTokenRecord>();
  return {
    async insert(record, most) {
      for (const { hash, expiresAt } of records.values()) {
        if (expiresAt <= record.createdAt) records.delete(hash);
      }
      const siblings = [...records.values()].filter(({ tokenId }) => tokenId === record.tokenId);
      for (const { hash } of tooManyRefreshTokens(siblings, record.client, most))
        records.delete(hash);
      records.set(record.hash, record);
    },
    find: async (hash) => records.get(hash),
    async used(hash, lastUsedAt, expiresAt) {
      const record = records.get(hash);
      if (record) records.set(hash, { ...record, lastUsedAt, expiresAt });
    },
  };
}
