import { randomBytes } from "node:crypto";
import { TokenEndedError } from "@sealhouse/http-responses";
import { publishPolicy, sessionRecord, tokenRecord } from "@sealhouse/identity/testing";
import type { TokenRecord } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leaveTestServers, testableDatabases } from "./testing/index.ts";
import type { TestParts } from "./testing/open-test-parts.ts";
import { ALL_WRITES, openWrites, rowsOf } from "./testing/writes/all-writes.test.support.ts";
import { account, user } from "./testing/writes/people-writes.test.support.ts";
import { OPERATOR, WRITTEN_AT } from "./testing/writes/write.test.support.ts";

// Every change that has a caller: the commit checks the caller, the change and its event are one
// transaction, a refused change leaves no row, and of callers at the same moment one is first.

const HOUR_MS = 60 * 60_000;
afterAll(leaveTestServers);

/** All events, the oldest first. */
const eventsOf = ({ database }: TestParts) => database.events.outbox.pending("test", 10_000);

type Ended = {
  readonly reason: string;
  /** Makes a good caller, and returns it with the change that ends it. */
  readonly begin: (parts: TestParts) => Promise<{ caller: Caller; end: () => Promise<unknown> }>;
};

async function callerWith({ database }: TestParts, fields: Partial<TokenRecord>) {
  const record = tokenRecord({ createdAt: WRITTEN_AT, ...fields });
  await database.tokens.insert(record, OPERATOR);
  return { actor: "ada", tokenId: record.id, needs: ["admin"] };
}

/** The token of a user, whose state or role a test changes. */
async function userCaller(parts: TestParts, handle: string) {
  const userId = await user(handle, "administrator")(parts.database);
  return { userId, caller: await callerWith(parts, { userId }) };
}

function stateChange(handle: string, state: "blocked" | "suspended" | "pending"): Ended["begin"] {
  return async (parts) => {
    const { userId, caller } = await userCaller(parts, handle);
    return { caller, end: () => parts.database.people.setState(userId, { state }, OPERATOR) };
  };
}

async function sessionCaller({ database }: TestParts, handle: string, lifeMs = 1_000 * HOUR_MS) {
  const userId = await user(handle, "administrator")(database);
  const endsAt = new Date(WRITTEN_AT.getTime() + lifeMs);
  const hash = randomBytes(32).toString("hex");
  const session = sessionRecord({ userId, createdAt: WRITTEN_AT, idleEndsAt: endsAt, endsAt });
  await database.sessions.open({ ...session, hash }, { by: OPERATOR, method: "github" });
  return { userId, caller: { actor: handle, sessionHash: hash, needs: ["admin"] } };
}

const ENDED: Readonly<Record<string, Ended>> = {
  "a revoked token": {
    reason: "revoked",
    async begin(parts) {
      const caller = await callerWith(parts, {});
      const { tokens } = parts.database;
      return { caller, end: () => tokens.revoke(caller.tokenId, WRITTEN_AT, OPERATOR) };
    },
  },
  "a token that never existed": {
    reason: "revoked",
    async begin() {
      const caller = { actor: "ada", tokenId: "of-nobody", needs: undefined };
      return { caller, end: async () => undefined };
    },
  },
  "an expired token": {
    reason: "expired",
    async begin(parts) {
      const caller = await callerWith(parts, { expiresAt: WRITTEN_AT });
      return { caller, end: async () => undefined };
    },
  },
  "the token of a blocked user": { reason: "blocked", begin: stateChange("blocked", "blocked") },
  "the token of a suspended user": {
    reason: "suspended",
    begin: stateChange("suspended", "suspended"),
  },
  "the token of a user who waits again": {
    reason: "pending",
    begin: stateChange("waiting", "pending"),
  },
  "the token of a user with a lower role": {
    reason: "demoted",
    async begin(parts) {
      const { userId, caller } = await userCaller(parts, "demoted");
      return { caller, end: () => parts.database.people.setRole(userId, "publisher", OPERATOR) };
    },
  },
  "the token of a blocked service account": {
    reason: "blocked",
    async begin(parts) {
      const serviceAccountId = await account("deploy")(parts.database);
      const caller = await callerWith(parts, { serviceAccountId });
      const { serviceAccounts } = parts.database;
      const end = () => serviceAccounts.setState(serviceAccountId, "blocked", OPERATOR);
      return { caller, end };
    },
  },
  "the token of a job whose maker is blocked": {
    reason: "blocked",
    async begin(parts) {
      const makerId = await user("maker")(parts.database);
      const policy = publishPolicy({ makerId });
      await parts.database.policies.add(policy, OPERATOR);
      const caller = await callerWith(parts, { policyId: policy.id });
      const blocked = { state: "blocked" } as const;
      return { caller, end: () => parts.database.people.setState(makerId, blocked, OPERATOR) };
    },
  },
  "a session that signed out": {
    reason: "signed-out",
    async begin(parts) {
      const { caller } = await sessionCaller(parts, "signed-out");
      return { caller, end: () => parts.database.sessions.end(caller.sessionHash, OPERATOR) };
    },
  },
  "a session that signed out everywhere": {
    reason: "signed-out",
    async begin(parts) {
      const { userId, caller } = await sessionCaller(parts, "everywhere");
      return { caller, end: () => parts.database.sessions.endAll(userId, OPERATOR) };
    },
  },
  "a session whose time is over": {
    reason: "signed-out",
    async begin(parts) {
      const { caller } = await sessionCaller(parts, "over", 0);
      return { caller, end: async () => undefined };
    },
  },
};

/** On servers: one of a token and one of a session. The refusal itself is not theirs. */
const ENDED_ON_SERVERS = ["a revoked token", "a session that signed out"];

describe.each(testableDatabases())("%s", (type) => {
  const isFile = type === "Sqlite";
  let opened: Awaited<ReturnType<typeof openWrites>>;

  beforeAll(async () => {
    opened = await openWrites(type, ALL_WRITES);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  const ends = Object.entries(ENDED).filter(([name]) => isFile || ENDED_ON_SERVERS.includes(name));
  test.each(ends)("%s changes nothing, in any way", async (_name, { reason, begin }) => {
    const { parts, writes } = opened;
    const { caller, end } = await begin(parts);
    await end();
    const before = await rowsOf(parts);
    const outcomes: string[] = [];
    for (const { name, run } of writes) {
      outcomes.push(`${name}: ${await run(caller).then(() => "changed", reasonOf)}`);
    }
    expect(outcomes).toEqual(writes.map(({ name }) => `${name}: ${reason}`));
    expect(await rowsOf(parts)).toEqual(before);
  });

  if (isFile) {
    test("a change whose event cannot be written changes nothing", async () => {
      const { parts, writes } = opened;
      const { port } = parts.connections;
      await port.run(
        {
          sql: `create trigger no_events before insert on events
            begin select raise(abort, 'no events'); end`,
        },
        [],
      );
      const before = await rowsOf(parts);
      const outcomes: string[] = [];
      const evented = writes.filter(({ event }) => event !== undefined);
      for (const { name, run } of evented) {
        outcomes.push(`${name}: ${await run(OPERATOR).then(() => "changed", reasonOf)}`);
      }
      await port.run({ sql: "drop trigger no_events" }, []);
      expect(outcomes).toEqual(evented.map(({ name }) => `${name}: no events`));
      expect(await rowsOf(parts)).toEqual(before);
    });
  }

  test("of three callers at two instances one makes each change, with its event", async () => {
    const { parts, writes, other } = opened;
    const valid = await callerWith(parts, { name: "valid" });
    const caller = { ...valid, needs: undefined, address: "192.0.2.7", requestId: "request" };
    const { needs: _needs, ...shown } = caller;
    const isOf = ({ actor }: { readonly actor: string }) => actor === shown.actor;
    let { length } = await eventsOf(parts);
    for (const { name, outcome, again, event, run } of writes) {
      const at = [parts.database, other, parts.database];
      const outcomes = await Promise.all(at.map((instance) => run(caller, instance)));
      const isFirst = (found: unknown) => isLike(found, outcome) && !isLike(found, again, false);
      const first = outcomes.filter(isFirst);
      expect(first, name).toHaveLength(again === undefined ? at.length : 1);
      const later = outcomes.filter((found) => !isFirst(found));
      for (const found of later) expect(isLike(found, again), `${name}: ${show(found)}`).toBe(true);
      const events = await eventsOf(parts);
      const added = events.slice(length);
      length = events.length;
      const changes = added.filter(({ type: what, caller: by }) => what === event && isOf(by));
      expect(changes.length > 0, name).toBe(event !== undefined);
      for (const { caller: by } of changes) expect(by, name).toEqual(shown);
      const subjects = new Set(changes.map(({ subject }) => subject));
      if (again !== undefined) expect(changes, name).toHaveLength(subjects.size);
    }
  });

  test("a token that has ended still ends itself, and nothing else", async () => {
    const { database } = opened.parts;
    const { tokens } = database;
    const ended = await callerWith(opened.parts, { expiresAt: WRITTEN_AT });
    const other = await callerWith(opened.parts, {});
    const byEnded = [
      () => tokens.revoke(other.tokenId, WRITTEN_AT, ended),
      () => tokens.reportLeak(other.tokenId, { at: WRITTEN_AT }, ended),
    ];
    for (const run of byEnded) expect(await run().catch(reasonOf)).toBe("expired");
    expect((await tokens.findById(other.tokenId))?.revokedAt).toBeUndefined();
    expect(await tokens.revoke(ended.tokenId, WRITTEN_AT, ended)).toBe("revoked");
    expect(await tokens.revoke(ended.tokenId, WRITTEN_AT, ended)).toBe("unchanged");
    expect(await tokens.reportLeak(ended.tokenId, { at: WRITTEN_AT }, ended)).toBe("reported");
    expect(await tokens.reportLeak(ended.tokenId, { at: WRITTEN_AT }, ended)).toBe("unchanged");
    const reports = await eventsOf(opened.parts);
    const own = reports.filter(({ subject }) => subject === `token/${ended.tokenId}`);
    expect(own.map(({ type: what }) => what)).toEqual([
      "token.created",
      "token.revoked",
      "token.leaked",
    ]);
  });

  test("a session ends once", async () => {
    const { database } = opened.parts;
    const { caller } = await sessionCaller(opened.parts, "leaving");
    const { sessionHash } = caller;
    expect(await database.sessions.end(sessionHash, caller)).toBe(true);
    expect(await database.sessions.end(sessionHash, caller)).toBe(false);
  });
});

/** Whether a value has all parts of another. */
function isLike(found: unknown, wanted: unknown, absent = true): boolean {
  if (wanted === undefined) return absent;
  if (typeof wanted !== "object" || wanted === null) return found === wanted;
  if (typeof found !== "object" || found === null) return false;
  if (Array.isArray(wanted) && Object.keys(found).length !== wanted.length) return false;
  return Object.entries(wanted).every(([key, part]) => isLike(Reflect.get(found, key), part));
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

function reasonOf(error: unknown): string {
  if (error instanceof TokenEndedError) return error.reason;
  return error instanceof Error ? error.message : String(error);
}
