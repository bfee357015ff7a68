import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { PASSKEYS_MAX } from "../passkeys/ports.ts";
import type {
  ChallengeRecord,
  PasskeyChallenges,
  PasskeyRecord,
  Passkeys,
} from "../passkeys/ports.ts";

/** The rows of passkeys and of their challenges. */
export type PasskeyStore = Passkeys & { readonly challenges: PasskeyChallenges };

export type PasskeysTest = {
  readonly name: string;
  readonly run: (store: PasskeyStore) => Promise<void>;
};

const by = { actor: "alice" };
const at = new Date("2026-03-01T10:00:00.123Z");
const later = (ms: number) => new Date(at.getTime() + ms);

/** Contract tests of passkeys for any test runner; each starts with an empty store. */
export const passkeysContract: readonly PasskeysTest[] = [
  {
    name: "returns every field of a passkey to its user only",
    async run(store) {
      const userId = randomUUID();
      // Keys of post-quantum algorithms have 1,322 bytes.
      const [long, short] = [
        passkeyRecord({ userId, publicKey: randomBytes(4_096), counter: 2 ** 32 - 1 }),
        passkeyRecord({ userId, createdAt: later(1), transports: [], isBackedUp: false }),
      ];
      const strange = passkeyRecord({});
      for (const passkey of [short, long, strange]) {
        assert.equal(await store.add(passkey, by), "added");
      }
      assert.deepEqual((await store.list(userId)).map(plain), [plain(long), plain(short)]);
      const found = await store.find(long);
      assert.ok(found);
      assert.deepEqual(plain(found), plain(long));
      assert.equal(await store.find({ ...strange, userId }), undefined);
      assert.equal(
        await store.find({ userId, credentialId: long.credentialId.toUpperCase() }),
        undefined,
      );
    },
  },
  {
    name: "adds no second passkey with an id, and at most 20 for a user",
    async run(store) {
      const passkey = passkeyRecord({});
      await store.add(passkey, by);
      const copy = passkeyRecord({ credentialId: passkey.credentialId });
      assert.equal(await store.add(copy, by), "taken");
      const { userId } = passkey;
      for (let count = 1; count < PASSKEYS_MAX; count += 1) {
        await store.add(passkeyRecord({ userId }), by);
      }
      assert.equal(await store.add(passkeyRecord({ userId }), by), "crowded");
      assert.equal((await store.list(userId)).length, PASSKEYS_MAX);
    },
  },
  {
    name: "stores one of two uses with the same counter",
    async run(store) {
      const passkey = passkeyRecord({ counter: 4 });
      await store.add(passkey, by);
      const use = { seenCounter: 4, counter: 5, isBackedUp: true, at };
      const outcomes = await Promise.all([store.used(passkey, use), store.used(passkey, use)]);
      assert.equal(outcomes.filter((isStored) => isStored).length, 1);
      assert.equal(await store.used({ ...passkey, userId: randomUUID() }, use), false);
      const found = await store.find(passkey);
      assert.deepEqual([found?.counter, found?.isBackedUp, found?.usedAt], [5, true, at]);
    },
  },
  {
    name: "stores each use of a passkey without a counter",
    async run(store) {
      const passkey = passkeyRecord({ counter: 0 });
      await store.add(passkey, by);
      for (const ms of [1, 2]) {
        const use = { seenCounter: 0, counter: 0, isBackedUp: true, at: later(ms) };
        assert.equal(await store.used(passkey, use), true);
      }
      assert.deepEqual((await store.find(passkey))?.usedAt, later(2));
    },
  },
  {
    name: "removes a passkey of the user only",
    async run(store) {
      const passkey = passkeyRecord({});
      await store.add(passkey, by);
      assert.equal(await store.remove({ ...passkey, userId: randomUUID() }, by), "absent");
      assert.equal(await store.remove(passkey, by), "removed");
      assert.equal(await store.remove(passkey, by), "absent");
      assert.deepEqual(await store.list(passkey.userId), []);
    },
  },
  {
    name: "takes a challenge once, before it expires",
    async run({ challenges }) {
      const challenge = challengeRecord({ subject: "npm/@acme/app" });
      await challenges.add(challenge);
      const outcomes = await Promise.all([1, 2].map(() => challenges.take({ ...challenge, at })));
      assert.equal(outcomes.filter((isTaken) => isTaken).length, 1);
      await challenges.add(challenge);
      assert.equal(await challenges.take({ ...challenge, at: challenge.expiresAt }), false);
      assert.equal(await challenges.take({ ...challenge, at }), false);
    },
  },
  {
    name: "takes no challenge of another session, user, action or subject",
    async run({ challenges }) {
      const others: readonly Partial<ChallengeRecord>[] = [
        { sessionHash: "f".repeat(64) },
        { userId: randomUUID() },
        { purpose: "register" },
        { subject: "npm/other" },
      ];
      for (const other of others) {
        const challenge = challengeRecord({ subject: "npm/@acme/app" });
        await challenges.add(challenge);
        assert.equal(await challenges.take({ ...challenge, ...other, at }), false);
      }
      const { subject: _, ...bare } = challengeRecord({});
      await challenges.add(bare);
      assert.equal(await challenges.take({ ...bare, subject: "npm/other", at }), false);
      await challenges.add(bare);
      assert.equal(await challenges.take({ ...bare, at }), true);
    },
  },
];

/** Returns a passkey with a unique id. */
export function passkeyRecord(fields: Partial<PasskeyRecord>): PasskeyRecord {
  return {
    credentialId: randomBytes(32).toString("base64url"),
    userId: randomUUID(),
    rpId: "registry.example",
    publicKey: randomBytes(77),
    counter: 0,
    isBackedUp: true,
    transports: ["internal", "hybrid"],
    name: "Laptop",
    createdAt: at,
    ...fields,
  };
}

function challengeRecord(fields: Partial<ChallengeRecord>): ChallengeRecord {
  return {
    hash: randomBytes(32).toString("hex"),
    sessionHash: "a".repeat(64),
    userId: randomUUID(),
    purpose: "add-trust",
    createdAt: at,
    expiresAt: later(300_000),
    ...fields,
  };
}

/** Stores may return keys as any kind of bytes. */
function plain({ publicKey, ...passkey }: PasskeyRecord) {
  return { ...passkey, publicKey: Buffer.from(publicKey).toString("hex") };
}
