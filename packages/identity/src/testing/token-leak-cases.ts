import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { TokenRecord } from "../ports.ts";
import { tokenRecord } from "./token-record.ts";
import type { TokenStoreTest } from "./token-store.ts";

const by = { actor: "secret scanner" };
const at = new Date("2026-04-01T00:00:00Z");
const made = (seconds: number, fields: Partial<TokenRecord> = {}): TokenRecord =>
  tokenRecord({ createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)), ...fields });

/** Contract tests of reported tokens. */
export const leakCases: readonly TokenStoreTest[] = [
  {
    name: "a report revokes the token and its descendants, and no others",
    async run(store) {
      const root = made(0);
      const leaked = made(1, { parentId: root.id });
      const child = made(2, { parentId: leaked.id });
      const sibling = made(2, { parentId: root.id });
      for (const token of [root, leaked, child, sibling]) await store.insert(token, by);
      const leak = { at, url: "https://code.example/a/b", source: "content" };
      assert.equal(await store.reportLeak(leaked.id, leak, by), "reported");
      assert.deepEqual(await store.findById(leaked.id), {
        ...leaked,
        revokedAt: at,
        leakedAt: at,
      });
      const others = await Promise.all([root, child, sibling].map(({ id }) => store.findById(id)));
      assert.deepEqual(
        others.map((token) => token?.revokedAt),
        [undefined, at, undefined],
      );
    },
  },
  {
    name: "a second report keeps the time of the first",
    async run(store) {
      const token = made(0);
      await store.insert(token, by);
      const later = new Date(at.getTime() + 1_000);
      const outcomes = await Promise.all([1, 2].map(() => store.reportLeak(token.id, { at }, by)));
      assert.deepEqual(outcomes.toSorted(), ["reported", "unchanged"]);
      assert.equal(await store.reportLeak(token.id, { at: later }, by), "unchanged");
      assert.deepEqual((await store.findById(token.id))?.leakedAt, at);
      assert.equal(await store.reportLeak(randomUUID(), { at }, by), "absent");
    },
  },
  {
    name: "a report marks a token that was revoked before",
    async run(store) {
      const token = made(0);
      await store.insert(token, by);
      const before = new Date(at.getTime() - 1_000);
      await store.revoke(token.id, before, by);
      assert.equal(await store.reportLeak(token.id, { at }, by), "reported");
      const stored = await store.findById(token.id);
      assert.deepEqual([stored?.revokedAt, stored?.leakedAt], [before, at]);
      assert.equal(await store.replace(token.id, tokenRecord({}), by), "absent");
    },
  },
  {
    name: "a report also ends what the token created before its replacement",
    async run(store) {
      const leaked = made(0);
      const child = made(1, { parentId: leaked.id });
      const grandchild = made(2, { parentId: child.id });
      for (const token of [leaked, child, grandchild]) await store.insert(token, by);
      const fresh = made(3, { replaces: leaked.id });
      await store.replace(leaked.id, fresh, by);
      const later = made(4, { parentId: fresh.id });
      await store.insert(later, by);
      await store.reportLeak(leaked.id, { at }, by);
      const ends = [leaked, child, grandchild, fresh, later].map(({ id }) => store.findById(id));
      assert.deepEqual(
        (await Promise.all(ends)).map((token) => token?.revokedAt),
        [at, at, at, undefined, undefined],
      );
    },
  },
];
