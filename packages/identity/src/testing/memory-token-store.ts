import type { Caller } from "@sealhouse/request-types";
import type { TokenLeaks, TokenLists, TokenPage, TokenRecord } from "../ports.ts";
import { CHILDREN_MAX } from "../ports.ts";
import { descendantsOf, madeBeforeReplacement } from "../token-family.ts";
import { endOf, ownerOf } from "../principal.ts";
import type { TokenStore } from "./token-store.ts";

/** Tokens in memory, under the same contract as the databases. */
export function createMemoryTokenStore(tokens: readonly TokenRecord[] = []): TokenStore {
  const records = new Map(tokens.map((token) => [token.id, token]));
  const change = (id: string, changed: Partial<TokenRecord>) => {
    const token = records.get(id);
    if (token) records.set(id, { ...token, ...changed });
  };

  const isCrowded = (parentId: string | undefined, time: Date): boolean => {
    if (parentId === undefined) return false;
    const made = [...records.values()].filter((record) => record.parentId === parentId);
    return made.filter((record) => endOf(record, time) === undefined).length >= CHILDREN_MAX;
  };

  return {
    async findByPrefix(prefix) {
      return [...records.values()].filter((token) => token.prefix === prefix);
    },
    async findById(id) {
      return records.get(id);
    },
    async insert(token: TokenRecord, _by: Caller) {
      if (records.has(token.id)) throw new Error(`A token with the id ${token.id} exists already.`);
      const { parentId } = token;
      if (parentId !== undefined && records.get(parentId)?.revokedAt !== undefined) return "orphan";
      if (parentId !== undefined && !records.has(parentId)) return "orphan";
      if (isCrowded(parentId, token.createdAt)) return "crowded";
      records.set(token.id, token);
      return "inserted";
    },
    async replace(id, token, _by) {
      const replaced = records.get(id);
      if (!replaced || replaced.revokedAt) return "absent";
      const { parentId } = replaced;
      if (isCrowded(parentId, token.createdAt)) return "crowded";
      for (const record of records.values()) {
        if (record.parentId === id) change(record.id, { parentId: token.id });
      }
      records.set(token.id, { ...token, ...(parentId !== undefined && { parentId }) });
      return "replaced";
    },
    list: async () => inOrder(records.values()),
    async listNamed(owner) {
      return inOrder(records.values()).filter((token) => ownerOf(token) === owner);
    },
    async revoke(id, time, _by) {
      const token = records.get(id);
      if (!token) return "absent";
      for (const record of [token, ...descendantsOf([...records.values()], id)])
        if (!record.revokedAt) change(record.id, { revokedAt: time });
      return token.revokedAt ? "unchanged" : "revoked";
    },
    ...createMemoryLists(records),
    ...createMemoryLeaks(records),
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

function inOrder(tokens: Iterable<TokenRecord>): readonly TokenRecord[] {
  return [...tokens].toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

type Aged = Pick<TokenRecord, "createdAt" | "id">;

function compareAge(token: Aged, other: Aged): number {
  const older = token.createdAt.getTime() - other.createdAt.getTime();
  return older || (token.id < other.id ? -1 : Number(token.id > other.id));
}

function createMemoryLists(records: Map<string, TokenRecord>): TokenLists {
  const all = () => [...records.values()].toSorted(compareAge);
  return {
    async page(page) {
      const { after, limit } = page;
      const rest = all().filter((token) => after === undefined || compareAge(token, after) > 0);
      return rest.filter((token) => passes(token, page)).slice(0, limit);
    },
    async startingWith(part) {
      const found = all().filter(({ id }) => part !== "" && id.startsWith(part));
      return found.slice(0, 2);
    },
    madeWith: async (id) => descendantsOf(all(), id),
  };
}

function passes(token: TokenRecord, page: TokenPage): boolean {
  const { owner, userId, serviceAccountId, state, expiresUntil, now } = page;
  const { expiresAt } = token;
  const isWanted = <T>(value: T, wanted: T | undefined) => wanted === undefined || value === wanted;
  const isSoon = expiresAt !== undefined && expiresAt > now && expiresUntil !== undefined;
  return (
    isWanted(ownerOf(token), owner) &&
    isWanted(token.userId, userId) &&
    isWanted(token.serviceAccountId, serviceAccountId) &&
    isWanted(endOf(token, now) ?? "active", state) &&
    isWanted(isSoon && expiresAt <= expiresUntil, expiresUntil && true) &&
    isWanted(token.lastUsedAt === undefined, page.isUnused) &&
    isWanted(token.leakedAt !== undefined, page.isLeaked || undefined)
  );
}
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
