import type { ChangedBy, TokenRecord } from "../ports.ts";
import type { TokenStore } from "./token-store-contract.ts";

/** Tokens in memory, under the same contract as the databases. */
export function createMemoryTokenStore(tokens: readonly TokenRecord[] = []): TokenStore {
  const records = new Map(tokens.map((token) => [token.id, token]));
  const change = (id: string, changed: Partial<TokenRecord>) => {
    const token = records.get(id);
    if (token) records.set(id, { ...token, ...changed });
  };

  return {
    async findByPrefix(prefix) {
      return [...records.values()].filter((token) => token.prefix === prefix);
    },
    async findById(id) {
      return records.get(id);
    },
    async insert(token: TokenRecord, _by: ChangedBy) {
      if (records.has(token.id)) throw new Error(`A token with the id ${token.id} exists already.`);
      records.set(token.id, token);
    },
    async list() {
      return [...records.values()].toSorted(
        (one, other) => one.createdAt.getTime() - other.createdAt.getTime(),
      );
    },
    async revoke(id, at) {
      const token = records.get(id);
      if (!token) return "absent";
      if (token.revokedAt) return "unchanged";
      change(id, { revokedAt: at });
      return "revoked";
    },
    async used(uses) {
      for (const { id, at, from } of uses) {
        const last = records.get(id)?.lastUsedAt;
        if (last && last >= at) continue;
        change(id, { lastUsedAt: at, ...(from !== undefined && { lastUsedFrom: from }) });
      }
    },
    async rehash(id, hash, scheme) {
      change(id, { hash, scheme });
    },
  };
}
