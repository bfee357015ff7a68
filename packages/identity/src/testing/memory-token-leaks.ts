import type { TokenLeaks, TokenRecord } from "../ports.ts";
import { descendantsOf, madeBeforeReplacement } from "../token-family.ts";

/** The part of tokens in memory that scanners report to. */
export function createMemoryLeaks(records: Map<string, TokenRecord>): TokenLeaks {
  return {
    async reportLeak(id, { at }, _by) {
      const token = records.get(id);
      if (!token) return "absent";
      const all = [...records.values()];
      const made = madeBeforeReplacement(all, id);
      const family = [...made, ...made.flatMap((child) => descendantsOf(all, child.id))];
      for (const record of [token, ...descendantsOf(all, id), ...family]) {
        if (!record.revokedAt) records.set(record.id, { ...record, revokedAt: at });
      }
      if (token.leakedAt) return "unchanged";
      records.set(id, { ...token, revokedAt: token.revokedAt ?? at, leakedAt: at });
      return "reported";
    },
  };
}
