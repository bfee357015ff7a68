import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import type { SessionRecord, Sessions, SessionUser } from "../sessions/session.ts";

/** Stores with a way to add users. */
export type SessionStores = {
  readonly sessions: Sessions;
  readonly addUser: (user: SessionUser) => Promise<void>;
};

export type SessionsTest = {
  readonly name: string;
  readonly run: (stores: SessionStores) => Promise<void>;
};

const createdAt = new Date("2026-03-01T10:00:00.123Z");
const by = { actor: "ada", address: "192.0.2.9" };
const sign = { by, method: "token" } as const;

/** Contract tests of stores of sessions; each starts with empty stores. */
export const sessionsContract: readonly SessionsTest[] = [
  {
    name: "returns every field of a session and of its user",
    async run({ sessions, addUser }) {
      const user = sessionUser();
      await addUser(user);
      const session = sessionRecord({ userId: user.id, epoch: user.epoch });
      await sessions.open(session, sign);
      assert.deepEqual(await sessions.find(session.hash), { ...session, user });
      assert.equal(await sessions.find(hash()), undefined);
    },
  },
  {
    name: "omits absent fields of a session of a token",
    async run({ sessions }) {
      const { address: _, agent: __, ...session } = sessionRecord({ tokenId: randomUUID() });
      await sessions.open(session, sign);
      assert.deepEqual(await sessions.find(session.hash), session);
    },
  },
  {
    name: "finds a session by its former hash after a rotation",
    async run({ sessions }) {
      const session = sessionRecord({ tokenId: randomUUID() });
      await sessions.open(session, sign);
      const change = { to: hash(), at: minutesLater(5), graceUntil: minutesLater(6) };
      assert.equal(await sessions.rotate(session.hash, change), true);
      const rotated = {
        ...session,
        hash: change.to,
        previousHash: session.hash,
        previousEndsAt: change.graceUntil,
        rotatedAt: change.at,
      };
      assert.deepEqual(await sessions.find(session.hash), rotated);
      assert.deepEqual(await sessions.find(change.to), rotated);
    },
  },
  {
    name: "one of two concurrent rotations replaces the hash",
    async run({ sessions }) {
      const session = sessionRecord({ tokenId: randomUUID() });
      await sessions.open(session, sign);
      const rotations = [1, 2].map(() =>
        sessions.rotate(session.hash, { to: hash(), at: createdAt, graceUntil: minutesLater(1) }),
      );
      assert.equal((await Promise.all(rotations)).filter(Boolean).length, 1);
    },
  },
  {
    name: "stores the last use",
    async run({ sessions }) {
      const session = sessionRecord({ tokenId: randomUUID() });
      await sessions.open(session, sign);
      const [at, idleEndsAt] = [minutesLater(3), minutesLater(30)];
      await sessions.seen(session.hash, { at, idleEndsAt });
      const found = await sessions.find(session.hash);
      assert.deepEqual(found, { ...session, seenAt: at, idleEndsAt });
    },
  },
  {
    name: "ends a session once",
    async run({ sessions }) {
      const session = sessionRecord({ tokenId: randomUUID() });
      await sessions.open(session, sign);
      assert.equal(await sessions.end(session.hash, by), true);
      assert.equal(await sessions.end(session.hash, by), false);
      assert.equal(await sessions.find(session.hash), undefined);
    },
  },
  {
    name: "ends a session by the hash that it had before the last rotation",
    async run({ sessions }) {
      const session = sessionRecord({ tokenId: randomUUID() });
      await sessions.open(session, sign);
      const to = hash();
      await sessions.rotate(session.hash, { to, at: createdAt, graceUntil: minutesLater(1) });
      assert.equal(await sessions.end(session.hash, by), true);
      assert.equal(await sessions.find(to), undefined);
    },
  },
  {
    name: "deletes sessions that are over when another one opens",
    async run({ sessions }) {
      const idle = sessionRecord({ tokenId: randomUUID(), idleEndsAt: minutesLater(1) });
      const old = sessionRecord({ tokenId: randomUUID(), endsAt: minutesLater(1) });
      const valid = sessionRecord({ tokenId: randomUUID() });
      for (const session of [idle, old, valid]) await sessions.open(session, sign);
      await sessions.open(sessionRecord({ createdAt: minutesLater(2) }), sign);
      assert.equal(await sessions.find(idle.hash), undefined);
      assert.equal(await sessions.find(old.hash), undefined);
      assert.deepEqual(await sessions.find(valid.hash), valid);
    },
  },
  {
    name: "ends all sessions of one user and raises the epoch",
    async run({ sessions, addUser }) {
      const [ada, bob] = [sessionUser(), sessionUser()];
      for (const user of [ada, bob]) await addUser(user);
      const [first, second] = [1, 2].map((minute) =>
        sessionRecord({ userId: ada.id, seenAt: minutesLater(minute) }),
      );
      const other = sessionRecord({ userId: bob.id });
      assert.ok(first && second);
      for (const session of [first, second, other]) await sessions.open(session, sign);
      assert.deepEqual(await sessions.ofUser(ada.id), [second, first]);
      await sessions.endAll(ada.id, by);
      assert.deepEqual(await sessions.ofUser(ada.id), []);
      const later = sessionRecord({ userId: ada.id });
      await sessions.open(later, sign);
      assert.equal((await sessions.find(later.hash))?.user?.epoch, ada.epoch + 1);
      assert.equal((await sessions.find(other.hash))?.user?.epoch, bob.epoch);
    },
  },
];

/** A session as a sign-in opens it. */
export function sessionRecord(fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    hash: hash(),
    epoch: 0,
    createdAt,
    rotatedAt: createdAt,
    seenAt: createdAt,
    idleEndsAt: minutesLater(720),
    endsAt: minutesLater(10_080),
    address: "2001:db8::7",
    agent: "Browser/1.0",
    ...fields,
  };
}

export function sessionUser(fields: Partial<SessionUser> = {}): SessionUser {
  const id = randomUUID();
  return {
    id,
    handle: `user-${id.slice(0, 8)}`,
    displayName: "Ada Lovelace",
    role: "publisher",
    state: "active",
    epoch: 3,
    ...fields,
  };
}

function hash(): string {
  return randomBytes(32).toString("hex");
}

function minutesLater(minutes: number): Date {
  return new Date(createdAt.getTime() + minutes * 60_000);
}
