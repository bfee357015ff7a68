import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import type { LoginGrant, LoginSession, LoginSessions } from "../login-sessions.ts";

export type LoginSessionsTest = {
  readonly name: string;
  readonly run: (sessions: LoginSessions) => Promise<void>;
};

const createdAt = new Date("2026-03-01T10:00:00.123Z");
const expiresAt = minutesLater(10);
const until = minutesLater(12);
const by = { actor: "operator", address: "192.0.2.9" };
const grant: LoginGrant = {
  by,
  token: {
    name: "npm login",
    owner: "alice",
    scopes: ["read", "write"],
    protocols: ["npm"],
    patterns: ["@acme/*"],
    networks: [],
    expiresAt: new Date("2026-06-01T00:00:00.456Z"),
  },
};

/** Contract tests of login session stores; each starts with an empty store. */
export const loginSessionsContract: readonly LoginSessionsTest[] = [
  {
    name: "returns every field of a session by secret and by code",
    async run(sessions) {
      const session = loginSession({ purpose: "confirm", subject: "t-1 token-create" });
      await sessions.insert(session);
      assert.deepEqual(await sessions.findByPollHash(session.pollHash), session);
      assert.deepEqual(await sessions.findByCode(session.code), session);
      assert.equal(await sessions.findByPollHash("0".repeat(64)), undefined);
      assert.equal(await sessions.findByCode("BBBB-BBBB"), undefined);
    },
  },
  {
    name: "omits absent fields of a session",
    async run(sessions) {
      const { address: _, ...session } = loginSession();
      await sessions.insert(session);
      assert.deepEqual(await sessions.findByCode(session.code), session);
    },
  },
  {
    name: "stores the approval and the time limit of the client",
    async run(sessions) {
      const session = loginSession();
      await sessions.insert(session);
      const agreed = { status: "agreed", grant, until } as const;
      assert.equal(await sessions.decide(session.code, agreed, minutesLater(9)), "decided");
      const decided = { ...session, grant, expiresAt: until };
      assert.deepEqual(await sessions.findByPollHash(session.pollHash), decided);
    },
  },
  {
    name: "stores a denial and keeps the first decision",
    async run(sessions) {
      const session = loginSession();
      await sessions.insert(session);
      const time = minutesLater(1);
      assert.equal(await sessions.decide(session.code, { status: "denied", by }, time), "decided");
      const agreed = { status: "agreed", grant, until } as const;
      assert.equal(await sessions.decide(session.code, agreed, minutesLater(2)), "ended");
      const denied = { ...session, deniedAt: time };
      assert.deepEqual(await sessions.findByPollHash(session.pollHash), denied);
    },
  },
  {
    name: "accepts one of two concurrent decisions",
    async run(sessions) {
      const session = loginSession();
      await sessions.insert(session);
      const decisions = [
        sessions.decide(session.code, { status: "denied", by }, createdAt),
        sessions.decide(session.code, { status: "agreed", grant, until }, createdAt),
      ];
      assert.deepEqual((await Promise.all(decisions)).toSorted(), ["decided", "ended"]);
    },
  },
  {
    name: "refuses decisions for unknown and expired sessions",
    async run(sessions) {
      const session = loginSession();
      await sessions.insert(session);
      const agreed = { status: "agreed", grant, until } as const;
      assert.equal(await sessions.decide("BBBB-BBBB", agreed, createdAt), "absent");
      assert.equal(await sessions.decide(session.code, agreed, expiresAt), "ended");
      assert.deepEqual(await sessions.findByCode(session.code), session);
    },
  },
  {
    name: "one call takes the session",
    async run(sessions) {
      const session = loginSession();
      await sessions.insert(session);
      const takes = await Promise.all([1, 2].map(() => sessions.take(session.pollHash)));
      assert.equal(takes.filter((taken) => taken).length, 1);
      assert.equal(await sessions.findByCode(session.code), undefined);
    },
  },
  {
    name: "deletes expired sessions when another one begins",
    async run(sessions) {
      const [session, other] = [loginSession(), loginSession({ expiresAt: minutesLater(11) })];
      for (const row of [session, other]) await sessions.insert(row);
      await sessions.insert(loginSession({ createdAt: expiresAt, expiresAt: minutesLater(20) }));
      assert.equal(await sessions.findByCode(session.code), undefined);
      assert.deepEqual(await sessions.findByCode(other.code), other);
    },
  },
];

/** A session as a client would open it. */
export function loginSession(fields: Partial<LoginSession> = {}): LoginSession {
  const digits = Array.from({ length: 8 }, () => randomInt(2, 10)).join("");
  return {
    pollHash: randomBytes(32).toString("hex"),
    code: `${digits.slice(0, 4)}-${digits.slice(4)}`,
    purpose: "login",
    address: "192.0.2.7",
    createdAt,
    expiresAt,
    ...fields,
  };
}

function minutesLater(minutes: number): Date {
  return new Date(createdAt.getTime() + minutes * 60_000);
}
