import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ConfirmationRecord, ConfirmationStore } from "../sessions/confirmations.ts";

export type ConfirmationsTest = {
  readonly name: string;
  readonly run: (store: ConfirmationStore) => Promise<void>;
};

const at = new Date("2026-03-01T10:00:00.123Z");
const later = (ms: number) => new Date(at.getTime() + ms);
const hash = () => randomBytes(32).toString("hex");

function confirmation(fields: Partial<ConfirmationRecord> = {}): ConfirmationRecord {
  return {
    hash: hash(),
    sessionHash: hash(),
    action: "create-token",
    subject: "the token “ci”",
    path: "/account/new-token",
    backPath: "/account/tokens",
    sealedForm: new Uint8Array([0, 1, 255]),
    createdAt: at,
    expiresAt: later(600_000),
    ...fields,
  };
}

function plain({ sealedForm, ...record }: ConfirmationRecord) {
  return { ...record, sealedForm: [...sealedForm] };
}

/** Contract tests of stored forms for any test runner; each starts with an empty store. */
export const confirmationsContract: readonly ConfirmationsTest[] = [
  {
    name: "returns every field, also of a large form",
    async run(store) {
      const sealedForm = randomBytes(40_000);
      const [small, large] = [confirmation(), confirmation({ sealedForm })];
      for (const record of [small, large]) await store.add(record, 20);
      for (const record of [small, large]) {
        const found = await store.find(record.hash);
        assert.ok(found);
        assert.deepEqual(plain(found), plain(record));
      }
      assert.equal(await store.find(hash()), undefined);
    },
  },
  {
    name: "notes the new sign-in of one form",
    async run(store) {
      const [one, other] = [confirmation(), confirmation()];
      for (const record of [one, other]) await store.add(record, 20);
      assert.equal(await store.confirm(one.hash, later(5)), true);
      assert.equal(await store.confirm(hash(), later(5)), false);
      assert.deepEqual((await store.find(one.hash))?.confirmedAt, later(5));
      assert.equal((await store.find(other.hash))?.confirmedAt, undefined);
    },
  },
  {
    name: "gives a form to one of two callers",
    async run(store) {
      const record = confirmation();
      await store.add(record, 20);
      const taken = await Promise.all([store.take(record.hash), store.take(record.hash)]);
      assert.deepEqual(taken.map(String).toSorted(), ["false", "true"]);
      assert.equal(await store.find(record.hash), undefined);
    },
  },
  {
    name: "drops expired forms, and the oldest of a session beyond its maximum",
    async run(store) {
      const sessionHash = hash();
      const old = confirmation({ expiresAt: later(10) });
      const strange = confirmation();
      const own = [0, 1, 2, 3].map((ms) => confirmation({ sessionHash, createdAt: later(ms) }));
      for (const record of [old, strange, ...own]) await store.add(record, 3);
      await store.add(confirmation({ createdAt: later(10) }), 3);
      const found = await Promise.all([old, strange, ...own].map((one) => store.find(one.hash)));
      const isThere = found.map((record) => record !== undefined);
      assert.deepEqual(isThere, [false, true, false, true, true, true]);
    },
  },
];
