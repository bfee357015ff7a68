import { randomUUID } from "node:crypto";
import { loginSession, newPerson, refreshToken, tokenRecord } from "@sealhouse/identity/testing";
import { TEAM_MEMBERS_MAX } from "@sealhouse/identity";
import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { insertRows } from "../testing/insert-rows.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";

const by = { actor: "operator" };
const time = new Date("2026-03-01T10:05:00Z");
const IN_FUTURE = new Date("2999-01-01T00:00:00Z");
const most = { ofClient: 5, ofToken: 5 };
const REPOSITORY = parseRepositoryName("team/app");
const DIGEST = parseDigest(`sha256:${"a".repeat(64)}`);
const GRANTED = {
  name: "npm login",
  scopes: ["read"],
  protocols: ["npm"],
  patterns: [],
  networks: [],
} as const;
const ENDED_STATES = ["blocked", "suspended", "pending"] as const;

/** A change of a token, as at the end of a push. */
function link({ oci }: Database, tokenId: string): Promise<unknown> {
  const caller = { actor: "ada", tokenId, needs: undefined };
  return oci.blobs.link(REPOSITORY, { digest: DIGEST, key: "k", size: 1 }, caller);
}

describe.each(testableDatabases())("%s", (type) => {
  test("a team takes no more members than it may have, at the same time too", async () => {
    await using parts = await openTestParts(type);
    const { people, teams } = parts.database;
    const team = { id: randomUUID(), handle: "web", displayName: "Web", createdAt: time };
    await teams.add(team, by);
    const rows = Array.from({ length: TEAM_MEMBERS_MAX - 3 }, () => ({
      team_id: team.id,
      user_id: randomUUID(),
      level: "member",
      source: "group",
      created_at: time,
    }));
    for (let n = 0; n < rows.length; n += 100) {
      await insertRows(parts.connections.port, "host_team_members", rows.slice(n, n + 100));
    }
    const users = Array.from({ length: 20 }, (_, n) => newPerson(`user-${n}`));
    for (const person of users) await people.add(person, time, by);
    const set = (userId: string, level: "member" | "manager") =>
      teams.setMember(team.id, { userId, level }, by);
    const outcomes = await Promise.all(users.map(({ id }) => set(id, "member")));
    expect(outcomes.filter((outcome) => outcome === "set")).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === "full")).toHaveLength(17);
    expect(await set(users[outcomes.indexOf("set")]?.id ?? "", "manager")).toBe("set");
  });

  test.each(ENDED_STATES)("a user who is %s loses everything at once", async (state) => {
    await using parts = await openTestParts(type);
    const { database } = parts;
    const [ada, bob] = [newPerson("ada", "publisher"), newPerson("bob")];
    for (const person of [ada, bob]) await database.people.add(person, time, by);
    const [own, other] = [ada, bob].map(({ id }) => tokenRecord({ userId: id }));
    if (!own || !other) throw new Error("tokens are missing");
    for (const token of [own, other]) await database.tokens.insert(token, by);
    const refreshTokens = [own, other].map(({ id }) => refreshToken({ tokenId: id }));
    for (const record of refreshTokens) await database.refreshTokens.insert(record, most);
    const { port } = parts.connections;
    await insertRows(port, "host_sessions", [sessionOf(ada.id), sessionOf(bob.id)]);
    await link(database, own.id);

    await database.people.setState(ada.id, { state }, by);
    expect(await database.tokens.findById(own.id)).toMatchObject({
      user: { id: ada.id, handle: "ada", role: "publisher", state },
    });
    await expect(link(database, own.id)).rejects.toMatchObject({ reason: state });
    await link(database, other.id);
    const kept = await Promise.all(
      refreshTokens.map(({ hash }) => database.refreshTokens.find(hash)),
    );
    expect(kept.map((record) => record?.tokenId)).toEqual([undefined, other.id]);
    const sessions = { name: "sessions", sql: "select user_id from host_sessions" };
    expect(await port.all(sessions, [])).toEqual([{ user_id: bob.id }]);

    await database.people.setState(ada.id, { state: "active" }, by);
    await link(database, own.id);
  });

  test("approved sign-ins end with a block, and with a sign-out everywhere", async () => {
    await using parts = await openTestParts(type);
    const { loginSessions, people, serviceAccounts, sessions } = parts.database;
    const [ada, bob, eve] = [newPerson("ada"), newPerson("bob"), newPerson("eve")];
    for (const person of [ada, bob, eve]) await people.add(person, time, by);
    const account = { id: randomUUID(), name: "builds", state: "active" as const, createdAt: time };
    await serviceAccounts.add(account, by);
    const holders = {
      ada: { userId: ada.id },
      bob: { userId: bob.id },
      eve: { userId: eve.id },
      builds: { serviceAccountId: account.id },
    };
    const codes = new Map<string, string>();
    for (const [owner, holder] of Object.entries(holders)) {
      const session = loginSession();
      await loginSessions.insert(session);
      const token = { ...GRANTED, owner, ...holder };
      const agreed = { status: "agreed", grant: { by, token }, until: IN_FUTURE } as const;
      expect(await loginSessions.decide(session.code, agreed, session.createdAt)).toBe("decided");
      codes.set(owner, session.code);
    }
    await people.setState(ada.id, { state: "blocked" }, by);
    await people.setState(ada.id, { state: "active" }, by);
    await sessions.endAll(bob.id, { actor: "bob", holderId: bob.id });
    await serviceAccounts.setState(account.id, "blocked", by);
    const left = [];
    for (const [owner, code] of codes) {
      if (await loginSessions.findByCode(code)) left.push(owner);
    }
    expect(left).toEqual(["eve"]);
  });

  test("an offer of an administrator ends with the role, or when the user is blocked", async () => {
    await using parts = await openTestParts(type);
    const { database } = parts;
    const root = newPerson("root", "administrator");
    const other = newPerson("other", "administrator");
    const [eve, bob] = [newPerson("eve"), newPerson("bob")];
    for (const person of [root, other, eve, bob]) await database.people.add(person, time, by);
    const { transfers, ownerships } = database.ownership;
    const name = { protocol: "npm", name: "@acme/app" } as const;
    await ownerships.grant(name, { id: bob.id, kind: "user", level: "manage" }, by);
    const accepted = async () => {
      const id = randomUUID();
      const offer = { id, name, toId: eve.id, level: "read", expiresAt: IN_FUTURE } as const;
      await transfers.offer(offer, { actor: "root", holderId: root.id });
      const outcome = await transfers.accept(id, by);
      await transfers.decline(id, "withdrawn", by);
      return outcome;
    };
    expect(await accepted()).toBe("done");
    await database.people.setState(root.id, { state: "blocked" }, by);
    expect(await accepted()).toBe("ended");
    await database.people.setState(root.id, { state: "active" }, by);
    expect(await accepted()).toBe("done");
    await database.people.setRole(root.id, "publisher", by);
    expect(await accepted()).toBe("ended");
  });

  test("a blocked service account loses everything at once", async () => {
    await using parts = await openTestParts(type);
    const { database } = parts;
    const account = { id: randomUUID(), name: "deploy", createdAt: time } as const;
    await database.serviceAccounts.add({ ...account, state: "active" }, by);
    const token = tokenRecord({ serviceAccountId: account.id });
    await database.tokens.insert(token, by);
    const record = refreshToken({ tokenId: token.id });
    await database.refreshTokens.insert(record, most);
    await link(database, token.id);

    await database.serviceAccounts.setState(account.id, "blocked", by);
    expect(await database.tokens.findByPrefix(token.prefix)).toMatchObject([
      { serviceAccount: { id: account.id, name: "deploy", state: "blocked" } },
    ]);
    await expect(link(database, token.id)).rejects.toMatchObject({ reason: "blocked" });
    expect(await database.refreshTokens.find(record.hash)).toBeUndefined();
    await database.serviceAccounts.setState(account.id, "active", by);
    await link(database, token.id);
  });

  test("a token of a missing user or service account is an error", async () => {
    await using parts = await openTestParts(type);
    for (const holder of [{ userId: randomUUID() }, { serviceAccountId: randomUUID() }]) {
      const token = tokenRecord(holder);
      await parts.database.tokens.insert(token, by);
      const found = parts.database.tokens.findById(token.id);
      await expect(found).rejects.toMatchObject({ name: "UnexpectedRowError" });
    }
  });
});

function sessionOf(userId: string) {
  const hash = `${userId}${userId}`.replaceAll("-", "");
  const times = ["created_at", "rotated_at", "seen_at", "idle_ends_at", "ends_at"];
  return {
    hash,
    user_id: userId,
    epoch: 0,
    ...Object.fromEntries(times.map((column) => [column, time])),
  };
}

afterAll(leaveTestServers);
