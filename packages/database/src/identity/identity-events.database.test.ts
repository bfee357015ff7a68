import { loginSession, tokenRecord } from "@sealhouse/identity/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const by = { actor: "operator" };
const time = new Date("2026-03-01T10:05:00Z");

async function eventsOf({ events }: Database): Promise<readonly string[]> {
  const all = await events.outbox.pending("test", 100);
  return all.map(({ type, subject, caller }) => `${type} ${subject} ${caller.actor}`);
}

describe.each(testableDatabases())("%s", (type) => {
  test("every token of a revoked family has its own event", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens } = database;
    const root = tokenRecord({});
    const login = tokenRecord({ parentId: root.id });
    const ci = tokenRecord({ parentId: login.id });
    for (const token of [root, login, ci]) await tokens.insert(token, by);
    await tokens.revoke(login.id, time, by);
    await tokens.revoke(root.id, time, by);
    await tokens.insert(tokenRecord({ parentId: root.id }), by);
    expect((await eventsOf(database)).slice(3)).toEqual([
      `token.revoked token/${login.id} operator`,
      `token.revoked token/${ci.id} operator`,
      `token.revoked token/${root.id} operator`,
    ]);
  });

  test("only the first decision about a sign-in writes an event", async () => {
    await using database = await openTestDatabase({ type });
    const { loginSessions } = database;
    const [firstSession, other] = [loginSession(), loginSession()];
    for (const session of [firstSession, other]) await loginSessions.insert(session);
    const agreed = { status: "agreed", grant: { by }, until: time } as const;
    await loginSessions.decide(firstSession.code, agreed, time);
    await loginSessions.decide(firstSession.code, { status: "denied", by }, time);
    await loginSessions.decide(other.code, { status: "denied", by }, time);
    expect(await eventsOf(database)).toEqual([
      `user.signed-in login/${firstSession.code} operator`,
      `user.refused login/${other.code} operator`,
    ]);
  });
});

afterAll(leaveTestServers);
