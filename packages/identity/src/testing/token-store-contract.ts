import type { Caller } from "@sealhouse/request-types";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { leakCases } from "./token-leak-cases.ts";
import { listCases } from "./token-list-cases.ts";
import { tokenRecord } from "./token-record.ts";
import type { TokenStoreTest } from "./token-store.ts";

const by: Caller = { actor: "contract", address: "192.0.2.7", requestId: "r-1" };
const createdAt = new Date("2026-03-01T10:20:30.456Z");

/** Contract tests of token stores for any test runner; each starts with an empty store. */
export const tokenStoreContract: readonly TokenStoreTest[] = [
  {
    name: "returns every field of a token by prefix and by id",
    async run(store) {
      const token = tokenRecord({
        scopes: ["read", "write", "delete"],
        protocols: ["npm", "oci"],
        patterns: ["@acme/*", "team/app/**"],
        networks: ["10.0.0.0/8", "2001:db8::/32"],
        expiresAt: new Date("2027-03-01T00:00:00.001Z"),
      });
      await store.insert(token, by);
      assert.deepEqual(await store.findById(token.id), token);
      assert.deepEqual(await store.findByPrefix(token.prefix), [token]);
    },
  },
  {
    name: "omits absent fields of a token instead of returning null",
    async run(store) {
      const token = tokenRecord({});
      await store.insert(token, by);
      const storedToken = await store.findById(token.id);
      assert.ok(storedToken);
      assert.deepEqual(storedToken, token);
      const absent = [
        storedToken.expiresAt,
        storedToken.revokedAt,
        storedToken.lastUsedAt,
        storedToken.lastUsedFrom,
      ];
      assert.deepEqual(absent, [undefined, undefined, undefined, undefined]);
    },
  },
  {
    name: "returns nothing for an unknown prefix or id",
    async run(store) {
      await store.insert(tokenRecord({}), by);
      assert.deepEqual(await store.findByPrefix("shp_00000000"), []);
      assert.equal(await store.findById(randomUUID()), undefined);
      assert.equal(await store.findById("not a uuid"), undefined);
    },
  },
  {
    name: "compares prefixes by letter case and length",
    async run(store) {
      const token = tokenRecord({ prefix: "shp_AbCdEfGh" });
      await store.insert(token, by);
      assert.deepEqual(await store.findByPrefix("shp_abcdefgh"), []);
      assert.deepEqual(await store.findByPrefix("shp_AbCd"), []);
      assert.deepEqual(await store.findByPrefix("shp_AbCdEfGh"), [token]);
    },
  },
  {
    name: "returns all tokens with the same prefix",
    async run(store) {
      const [one, two] = [tokenRecord({ prefix: "0123abcd" }), tokenRecord({ prefix: "0123abcd" })];
      await store.insert(one, by);
      await store.insert(two, by);
      const tokens = await store.findByPrefix("0123abcd");
      assert.deepEqual(tokens.map((token) => token.id).toSorted(), [one.id, two.id].toSorted());
    },
  },
  {
    name: "rejects a duplicate id and keeps the first token",
    async run(store) {
      const token = tokenRecord({ name: "first" });
      await store.insert(token, by);
      await assert.rejects(store.insert({ ...token, name: "second" }, by));
      assert.equal((await store.findById(token.id))?.name, "first");
    },
  },
  {
    name: "lists tokens in order of creation, including revoked ones",
    async run(store) {
      const days = [3, 1, 2].map((day) =>
        tokenRecord({ createdAt: new Date(Date.UTC(2026, 0, day)) }),
      );
      for (const token of days) await store.insert(token, by);
      const [third, first, second] = days;
      assert.ok(first && second && third);
      await store.revoke(second.id, createdAt, by);
      const listed = (await store.list()).map((token) => token.id);
      assert.deepEqual(listed, [first.id, second.id, third.id]);
    },
  },
  {
    name: "revokes once and keeps the first time",
    async run(store) {
      const token = tokenRecord({});
      await store.insert(token, by);
      const [time, later] = [new Date("2026-04-01T00:00:00Z"), new Date("2026-05-01T00:00:00Z")];
      assert.equal(await store.revoke(token.id, time, by), "revoked");
      assert.equal(await store.revoke(token.id, later, by), "unchanged");
      assert.deepEqual(await store.findById(token.id), { ...token, revokedAt: time });
      assert.deepEqual(await store.findByPrefix(token.prefix), [{ ...token, revokedAt: time }]);
    },
  },
  {
    name: "returns the owner and the parent, and lists tokens by owner",
    async run(store) {
      const root = tokenRecord({ name: "alice", createdAt: new Date(createdAt.getTime() - 1) });
      await store.insert(root, by);
      const made = tokenRecord({ name: "ci", owner: "alice", parentId: root.id });
      assert.equal(await store.insert(made, by), "inserted");
      await store.insert(tokenRecord({ name: "alice", owner: "bob" }), by);
      await store.insert(tokenRecord({ name: "Alice" }), by);
      assert.deepEqual(await store.findByPrefix(made.prefix), [made]);
      assert.deepEqual(await store.listNamed("alice"), [root, made]);
      assert.deepEqual(await store.listNamed("carol"), []);
    },
  },
  {
    name: "inserts no child of a revoked or unknown token",
    async run(store) {
      const root = tokenRecord({});
      await store.insert(root, by);
      await store.revoke(root.id, createdAt, by);
      for (const parentId of [root.id, randomUUID()]) {
        const made = tokenRecord({ parentId });
        assert.equal(await store.insert(made, by), "orphan");
        assert.equal(await store.findById(made.id), undefined);
      }
    },
  },
  {
    name: "revokes all descendants of a token, and no others",
    async run(store) {
      const root = tokenRecord({});
      const login = tokenRecord({ parentId: root.id });
      const ci = tokenRecord({ parentId: login.id });
      const other = tokenRecord({});
      const sibling = tokenRecord({ parentId: root.id });
      for (const token of [root, login, ci, other, sibling]) await store.insert(token, by);
      const time = new Date("2026-04-01T00:00:00Z");
      const later = new Date("2026-05-01T00:00:00Z");
      assert.equal(await store.revoke(login.id, time, by), "revoked");
      assert.equal(await store.revoke(root.id, later, by), "revoked");
      const ends = [root, login, ci, other, sibling].map(async ({ id }) => store.findById(id));
      assert.deepEqual(
        (await Promise.all(ends)).map((token) => token?.revokedAt),
        [later, time, time, undefined, later],
      );
    },
  },
  {
    name: "limits the valid children of a token to 100 under concurrency",
    async run(store) {
      const root = tokenRecord({});
      await store.insert(root, by);
      const soon = new Date(createdAt.getTime() + 1_000);
      const made = Array.from({ length: 101 }, () => tokenRecord({ parentId: root.id }));
      const expiring = tokenRecord({ parentId: root.id, expiresAt: soon });
      assert.equal(await store.insert(expiring, by), "inserted");
      const outcomes = await Promise.all(
        made.slice(0, 100).map((record) => store.insert(record, by)),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "inserted").length, 99);
      const [late, later] = made.slice(99).map((record) => ({ ...record, id: randomUUID() }));
      assert.ok(late && later);
      assert.equal(await store.insert(late, by), "crowded");
      assert.equal(await store.insert({ ...late, createdAt: soon }, by), "inserted");
      assert.equal(await store.insert({ ...later, createdAt: soon }, by), "crowded");
      await store.revoke(late.id, soon, by);
      assert.equal(await store.insert({ ...later, createdAt: soon }, by), "inserted");
      assert.equal(await store.insert(tokenRecord({}), by), "inserted");
    },
  },
  {
    name: "a replacement takes over the parent and the children",
    async run(store) {
      const root = tokenRecord({});
      const old = tokenRecord({ parentId: root.id });
      const child = tokenRecord({ parentId: old.id });
      for (const token of [root, old, child]) await store.insert(token, by);
      const fresh = tokenRecord({ parentId: root.id });
      assert.equal(await store.replace(old.id, fresh, by), "replaced");
      assert.deepEqual(await store.findById(fresh.id), fresh);
      await store.revoke(old.id, createdAt, by);
      const revokedAt = async (id: string) => (await store.findById(id))?.revokedAt;
      assert.deepEqual(await Promise.all([fresh.id, child.id].map(revokedAt)), [
        undefined,
        undefined,
      ]);
      assert.equal(await store.replace(old.id, tokenRecord({}), by), "absent");
      assert.equal(await store.replace(randomUUID(), tokenRecord({}), by), "absent");
      await store.revoke(root.id, createdAt, by);
      assert.deepEqual(await Promise.all([fresh.id, child.id].map(revokedAt)), [
        createdAt,
        createdAt,
      ]);
    },
  },
  {
    name: "a replacement counts as a child, until the limit of 100",
    async run(store) {
      const root = tokenRecord({});
      await store.insert(root, by);
      const soon = new Date(createdAt.getTime() + 1_000);
      const old = tokenRecord({ parentId: root.id, expiresAt: soon });
      await store.insert(old, by);
      const others = Array.from({ length: 98 }, () => tokenRecord({ parentId: root.id }));
      for (const record of others) await store.insert(record, by);
      const [last, over] = [tokenRecord({}), tokenRecord({})];
      const outcomes = await Promise.all(
        [last, over].map((token) => store.replace(old.id, token, by)),
      );
      assert.deepEqual(outcomes.toSorted(), ["crowded", "replaced"]);
      const made = await Promise.all([last, over].map(({ id }) => store.findById(id)));
      assert.equal(made.filter((token) => token !== undefined).length, 1);
      const fresh = tokenRecord({ createdAt: soon });
      assert.equal(await store.replace(old.id, fresh, by), "replaced");
      const late = tokenRecord({ createdAt: soon });
      assert.equal(await store.replace(old.id, late, by), "crowded");
    },
  },
  {
    name: "revokes once under concurrency",
    async run(store) {
      const token = tokenRecord({});
      await store.insert(token, by);
      const outcomes = await Promise.all([1, 2].map(() => store.revoke(token.id, createdAt, by)));
      assert.deepEqual(outcomes.toSorted(), ["revoked", "unchanged"]);
    },
  },
  {
    name: "reports an unknown id at revocation",
    async run(store) {
      assert.equal(await store.revoke(randomUUID(), createdAt, by), "absent");
      assert.equal(await store.revoke("not a uuid", createdAt, by), "absent");
    },
  },
  {
    name: "keeps the latest use of each token in any order of arrival",
    async run(store) {
      const [one, two] = [tokenRecord({}), tokenRecord({})];
      await store.insert(one, by);
      await store.insert(two, by);
      const [early, late] = [new Date("2026-06-01T00:00:00Z"), new Date("2026-06-02T00:00:00Z")];
      await store.used([{ id: one.id, at: late, from: "2001:db8::1" }]);
      await store.used([
        { id: one.id, at: early, from: "192.0.2.1" },
        { id: two.id, at: early },
        { id: randomUUID(), at: late },
      ]);
      await store.used([]);
      const used = { ...one, lastUsedAt: late, lastUsedFrom: "2001:db8::1" };
      assert.deepEqual(await store.findById(one.id), used);
      assert.deepEqual(await store.findById(two.id), { ...two, lastUsedAt: early });
    },
  },
  {
    name: "upgrades a hash and changes nothing else",
    async run(store) {
      const token = tokenRecord({ scheme: 0, prefix: "89abcdef" });
      await store.insert(token, by);
      await store.rehash(token.id, "f".repeat(64), 1);
      await store.rehash(randomUUID(), "e".repeat(64), 1);
      const expected = { ...token, hash: "f".repeat(64), scheme: 1 };
      assert.deepEqual(await store.findById(token.id), expected);
      assert.deepEqual(await store.list(), [expected]);
    },
  },
  ...listCases,
  ...leakCases,
];
