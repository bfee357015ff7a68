import assert from "node:assert/strict";
import type { TokenFilter, TokenRecord } from "../ports.ts";
import { tokenRecord } from "./token-record.ts";
import type { TokenStore, TokenStoreTest } from "./token-store.ts";

const by = { actor: "contract" };
const now = new Date("2026-03-02T00:00:00Z");
const inDays = (days: number) => new Date(now.getTime() + days * 24 * 60 * 60 * 1_000);

async function inserted(
  store: TokenStore,
  tokens: readonly Partial<TokenRecord>[],
): Promise<readonly TokenRecord[]> {
  const records = tokens.map((token) => tokenRecord(token));
  for (const record of records) await store.insert(record, by);
  return records;
}

/** Cases of `TokenLists`. */
export const listCases: readonly TokenStoreTest[] = [
  {
    name: "returns pages in order of creation, also of tokens of one moment",
    async run(store) {
      const records = await inserted(store, [{}, {}, {}, { createdAt: inDays(-9) }, {}]);
      const pages: string[] = [];
      for (let after: TokenRecord | undefined; ;) {
        const page = await store.page({ now, after, limit: 2 });
        pages.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (page.length < 2) break;
      }
      assert.equal(pages[0], records[3]?.id);
      assert.deepEqual(pages.toSorted(), records.map(({ id }) => id).toSorted());
    },
  },
  {
    name: "filters pages by owner, state, expiry, use and report",
    async run(store) {
      const records = await inserted(store, [
        { name: "alice" },
        { name: "ci", owner: "alice", expiresAt: inDays(5) },
        { name: "alice", owner: "bob", expiresAt: inDays(-1) },
        { name: "old", expiresAt: inDays(50) },
      ]);
      const ids = records.map(({ id }) => id);
      await store.used([{ id: ids[0] ?? "", at: now }]);
      await store.reportLeak(ids[3] ?? "", { at: now }, by);
      const found = async (filter: TokenFilter) => {
        const page = await store.page({ now, limit: 3, ...filter });
        return page.map(({ id }) => ids.indexOf(id)).toSorted((one, other) => one - other);
      };
      assert.deepEqual(await found({ owner: "alice" }), [0, 1]);
      assert.deepEqual(await found({ state: "active" }), [0, 1]);
      assert.deepEqual(await found({ state: "expired" }), [2]);
      assert.deepEqual(await found({ state: "revoked" }), [3]);
      assert.deepEqual(await found({ expiresUntil: inDays(5) }), [1]);
      assert.deepEqual(await found({ isUnused: true }), [1, 2, 3]);
      assert.deepEqual(await found({ isLeaked: true }), [3]);
      assert.deepEqual(await found({ isLeaked: true, isUnused: true, owner: "alice" }), []);
      assert.deepEqual(await found({ userId: "none" }), []);
      assert.deepEqual(await found({ serviceAccountId: "none" }), []);
    },
  },
  {
    name: "finds tokens by the beginning of their ids, and no others",
    async run(store) {
      const [one] = await inserted(store, [
        { id: "0a1b2c3d-0000-4000-8000-000000000001" },
        { id: "0a1b2c3e-0000-4000-8000-000000000002" },
        { id: "0a1b2c3f-0000-4000-8000-000000000003" },
      ]);
      const found = async (part: string) => (await store.startingWith(part)).length;
      assert.deepEqual(await store.startingWith("0a1b2c3d"), [one]);
      assert.equal(await found("0a1b2c3"), 2);
      assert.equal(await found("0A1B2C3D"), 0);
      assert.equal(await found("%"), 0);
      assert.equal(await found("_a1b2c3d"), 0);
      assert.equal(await found(""), 0);
      assert.equal(await found("0a1b2c3d".repeat(100)), 0);
    },
  },
  {
    name: "returns all tokens that were made with a token",
    async run(store) {
      const [root] = await inserted(store, [{}, {}]);
      const [login] = await inserted(store, [{ parentId: root?.id ?? "" }]);
      const [ci] = await inserted(store, [{ parentId: login?.id ?? "" }]);
      const made = await store.madeWith(root?.id ?? "");
      assert.deepEqual(
        made.map(({ id }) => id),
        [login?.id, ci?.id],
      );
      assert.deepEqual(await store.madeWith("none"), []);
    },
  },
];
