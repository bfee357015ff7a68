import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import type { RefreshTokenRecord, RefreshTokenStore } from "../refresh-tokens.ts";

export type RefreshTokensTest = {
  readonly name: string;
  readonly run: (store: RefreshTokenStore) => Promise<void>;
};

const START = new Date("2026-03-01T10:00:00.123Z").getTime();
const most = { ofClient: 2, ofToken: 3 };

/** Contract tests of refresh token stores; each starts with an empty store. */
export const refreshTokensContract: readonly RefreshTokensTest[] = [
  {
    name: "returns every field by hash, with the last use",
    async run(store) {
      const record = refreshToken();
      await store.insert(record, most);
      assert.deepEqual(await store.find(record.hash), record);
      await store.used(record.hash, minute(3), minute(90));
      const used = { ...record, lastUsedAt: minute(3), expiresAt: minute(90) };
      assert.deepEqual(await store.find(record.hash), used);
    },
  },
  {
    name: "ignores uses of unknown tokens",
    async run(store) {
      const hash = randomBytes(32).toString("hex");
      await store.used(hash, minute(1), minute(2));
      assert.equal(await store.find(hash), undefined);
    },
  },
  {
    name: "deletes the least recently used token of the same client",
    async run(store) {
      const tokenId = randomUUID();
      const [one, two, three] = [0, 1, 2].map((index) =>
        refreshToken({ tokenId, createdAt: minute(index) }),
      );
      const other = refreshToken({ tokenId, client: "podman" });
      assert.ok(one && two && three);
      for (const record of [other, one, two]) await store.insert(record, most);
      await store.used(one.hash, minute(5), minute(60));
      await store.insert(three, most);
      assert.equal(await store.find(two.hash), undefined);
      for (const { hash } of [one, three, other]) assert.ok(await store.find(hash));
    },
  },
  {
    name: "deletes the least recently used token when an API token has too many",
    async run(store) {
      const tokenId = randomUUID();
      const records = ["a", "b", "c", "d"].map((client, index) =>
        refreshToken({ tokenId, client, createdAt: minute(index) }),
      );
      const foreign = refreshToken({ createdAt: minute(0) });
      await store.insert(foreign, most);
      for (const record of records) await store.insert(record, most);
      const storedRecords = await Promise.all(records.map(({ hash }) => store.find(hash)));
      assert.deepEqual(
        storedRecords.map((record) => record?.client),
        [undefined, "b", "c", "d"],
      );
      assert.ok(await store.find(foreign.hash));
    },
  },
  {
    name: "deletes expired tokens of all owners",
    async run(store) {
      const old = refreshToken({ expiresAt: minute(5) });
      await store.insert(old, most);
      await store.insert(refreshToken({ createdAt: minute(4) }), most);
      assert.ok(await store.find(old.hash));
      await store.insert(refreshToken({ createdAt: minute(5) }), most);
      assert.equal(await store.find(old.hash), undefined);
    },
  },
];

/** A refresh token as a client would get it. */
export function refreshToken(fields: Partial<RefreshTokenRecord> = {}): RefreshTokenRecord {
  return {
    hash: randomBytes(32).toString("hex"),
    tokenId: randomUUID(),
    client: "docker",
    createdAt: minute(0),
    expiresAt: minute(60),
    ...fields,
  };
}

function minute(after: number): Date {
  return new Date(START + after * 60_000);
}
