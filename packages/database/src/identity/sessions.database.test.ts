import { randomBytes, randomUUID } from "node:crypto";
import { eventProblems } from "@sealhouse/events/schemas";
import type { SessionUser } from "@sealhouse/identity";
import { createBrowserSessions } from "@sealhouse/identity";
import { sessionRecord, sessionsContract } from "@sealhouse/identity/testing";
import { afterAll, describe, expect, test } from "vitest";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";

const ADD_USER = defineStatement(
  "test-session-user-insert",
  {
    id: param.text(36),
    handle: param.text(39),
    displayName: param.longText,
    role: param.text(16),
    state: param.text(16),
    epoch: param.whole,
    at: param.time,
  },
  (db, parameters) =>
    db.insertInto("host_users").values({
      id: parameters.id,
      handle: parameters.handle,
      display_name: parameters.displayName,
      role: parameters.role,
      role_source: "hand",
      state: parameters.state,
      epoch: parameters.epoch,
      created_at: parameters.at,
    }),
);

async function openStores(type: Parameters<typeof openTestParts>[0]) {
  const parts = await openTestParts(type);
  const { database, changes } = parts;
  const at = new Date("2026-01-01T00:00:00Z");
  return {
    database,
    stores: {
      sessions: database.sessions,
      addUser: (user: SessionUser) =>
        changes.transaction(async ({ queries }) => {
          await queries.run(ADD_USER, { ...user, at });
        }),
    },
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

describe.each(testableDatabases())("%s", (type) => {
  test.each(sessionsContract)("$name", async ({ run }) => {
    await using opened = await openStores(type);
    await run(opened.stores);
    const events = await opened.database.events.outbox.pending("schemas", 1_000);
    expect(events.flatMap(eventProblems)).toEqual([]);
  });

  test("a new role renews the sessions of its user on every instance", async () => {
    await using opened = await openStores(type);
    const { people, sessions: rows, tokens } = opened.database;
    const id = randomUUID();
    const by = { actor: "root" };
    const ada = { id, handle: "ada", displayName: "Ada", role: "consumer" } as const;
    await people.add(ada, new Date(), by);
    const instances = [1, 2].map(() =>
      createBrowserSessions({
        rows,
        tokens,
        now: () => new Date(),
        random: (size) => randomBytes(size),
      }),
    );
    const [one, other] = instances;
    if (!one || !other) throw new Error("there are two instances");
    const user = { ...ada, state: "active", epoch: 0 } as const;
    const first = await one.open({ holder: { user }, method: "link" });
    const opening = await one.find(first, { mayRotate: true });
    const secret = opening?.secret;
    if (secret === undefined) throw new Error("the session is gone");
    await people.setRole(id, "consumer", by);
    const kept = await other.find(secret, { mayRotate: true });
    expect(kept).toMatchObject({ isRenewed: false });
    await people.setRole(id, "publisher", by);
    const renewed = await other.find(secret, { mayRotate: true });
    expect(renewed).toMatchObject({
      isRenewed: true,
      principal: { user: { role: "publisher" } },
    });
    // Requests in parallel still have the former secret.
    const parallel = await one.find(secret, { mayRotate: true });
    expect(parallel).toMatchObject({ isRenewed: false, hash: renewed?.hash });
  });

  test("writes an event of a sign-in with a token, and one of each end", async () => {
    await using opened = await openStores(type);
    const { sessions } = opened.stores;
    const by = { actor: "ada" };
    const [one, other] = [sessionRecord({ userId: "u-1" }), sessionRecord({ tokenId: "t-1" })];
    await sessions.open(one, { by, method: "github" });
    await sessions.open(other, { by, method: "token" });
    await sessions.end(other.hash, by);
    await sessions.end(other.hash, by);
    await sessions.endAll("u-1", by);
    const events = await opened.database.events.outbox.pending("test", 100);
    const shown = events.map(({ type: kind, subject, detail }) => [kind, subject, detail]);
    expect(shown).toEqual([
      ["user.signed-in", "token/t-1", { method: "token" }],
      ["user.signed-out", "token/t-1", undefined],
      ["user.signed-out", "user/u-1", { everywhere: true }],
    ]);
  });
});

afterAll(leaveTestServers);
