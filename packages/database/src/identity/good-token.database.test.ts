import { randomUUID } from "node:crypto";
import { TokenEndedError } from "@sealhouse/http-responses";
import {
  createTestToken,
  publishPolicy,
  sessionRecord,
  tokenRecord,
} from "@sealhouse/identity/testing";
import type { Role, SessionRecord } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { describe, expect, test } from "vitest";
import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { Database } from "../database.ts";
import { openTestDatabase, testableDatabases } from "../testing/index.ts";

const REPOSITORY = parseRepositoryName("team/app");
const DIGEST = parseDigest(`sha256:${"a".repeat(64)}`);
const HOUR_MS = 60 * 60_000;

describe.each(testableDatabases())("on %s", (type) => {
  test("an invalid token changes nothing", async () => {
    let now = new Date();
    await using database = await openTestDatabase({ type, now: () => now });
    const expiresAt = new Date(now.getTime() + HOUR_MS);
    const tokens = ["expires", "revoked", "good"].map(
      (name) => createTestToken({ name, ...(name === "expires" && { expiresAt }) }).record,
    );
    for (const record of tokens) await database.tokens.insert(record, { actor: "system" });
    const [expiring, revoked, good] = tokens.map(({ id }) => ({
      actor: "ci",
      tokenId: id,
      needs: undefined,
    }));
    const link = (caller: Caller) =>
      database.oci.blobs.link(REPOSITORY, { digest: DIGEST, key: "k", size: 1 }, caller);
    if (!expiring || !revoked || !good) throw new Error("tokens are missing");
    await Promise.all([link(expiring), link(revoked), link(good), link({ actor: "anonymous" })]);
    await database.oci.blobs.unlink(REPOSITORY, DIGEST, good);

    await database.tokens.revoke(revoked.tokenId, now, { actor: "system" });
    now = new Date(expiresAt.getTime());
    await expect(link(revoked)).rejects.toMatchObject({ reason: "revoked" });
    await expect(link(expiring)).rejects.toMatchObject({ reason: "expired" });
    const unknown = { actor: "ci", tokenId: "of-nobody", needs: undefined };
    await expect(link(unknown)).rejects.toMatchObject({ name: "TokenEndedError" });
    expect(await database.oci.blobs.find(REPOSITORY, DIGEST)).toBeUndefined();
    await link(good);
    expect(await database.oci.blobs.find(REPOSITORY, DIGEST)).toBeDefined();
  });

  test("an invalid token adds no bytes to its uploads", async () => {
    await using database = await openTestDatabase({ type });
    const { record } = createTestToken();
    await database.tokens.insert(record, { actor: "system" });
    const { uploads } = database.oci;
    const begun = { repository: REPOSITORY, owner: record.id, offset: 0 };
    const claim = { writer: "w", leaseMs: HOUR_MS };
    await uploads.create({ ...begun, id: "1" }, claim);
    expect(await uploads.advance("1", "w", 10)).toBe(true);
    await database.tokens.revoke(record.id, new Date(), { actor: "system" });
    const ended = { name: "TokenEndedError" };
    await expect(uploads.advance("1", "w", 20)).rejects.toMatchObject(ended);
    await expect(uploads.advance("1", "w", 20, { last: true })).rejects.toMatchObject(ended);
    const small = { ...begun, id: "2", offset: 1, bytes: Buffer.from("x") };
    await expect(uploads.create(small)).rejects.toMatchObject(ended);
    expect(await uploads.find("1")).toMatchObject({ offset: 10 });
    expect(await uploads.find("2")).toBeUndefined();
    await uploads.create({ ...small, owner: "anonymous" });
    expect(await uploads.find("2")).toBeDefined();
  });

  test("a user who may only read by now changes nothing by what began before", async () => {
    await using database = await openTestDatabase({ type });
    const ada = await addUser(database, "ada");
    const record = tokenRecord({ userId: ada });
    await database.tokens.insert(record, { actor: "system" });
    const session = sessionOf({ userId: ada });
    await database.sessions.open(session, SIGNED_IN);
    const needs = ["write", "admin"];
    const callers = {
      token: { actor: "ada", tokenId: record.id, needs },
      session: { actor: "ada", sessionHash: session.hash, needs },
      "what needs no role": { actor: "ada", tokenId: record.id, needs: undefined },
    };
    const outcomes = async () => {
      const entries = Object.entries(callers).map(async ([name, caller]) => {
        const linked = database.oci.blobs.link(
          REPOSITORY,
          { digest: DIGEST, key: "k", size: 1 },
          caller,
        );
        return [name, await linked.then(() => "changed", reasonOf)] as const;
      });
      return Object.fromEntries(await Promise.all(entries));
    };
    const upload = { id: "1", repository: REPOSITORY, owner: record.id, offset: 0 };
    await database.oci.uploads.create(upload, { writer: "w", leaseMs: HOUR_MS });
    const setRole = (role: Role) => database.people.setRole(ada, role, { actor: "system" });

    const changed = { token: "changed", session: "changed", "what needs no role": "changed" };
    expect(await outcomes()).toEqual(changed);
    await setRole("consumer");
    expect(await outcomes()).toEqual({ ...changed, token: "demoted", session: "demoted" });
    const advanced = database.oci.uploads.advance("1", "w", 10);
    await expect(advanced).rejects.toMatchObject({ reason: "demoted" });
    await setRole("administrator");
    expect(await outcomes()).toEqual(changed);
  });

  test("a session that ended approves no login, and an approval outlives its session", async () => {
    await using database = await openTestDatabase({ type });
    const ada = await addUser(database, "ada");
    const now = new Date();
    const until = new Date(now.getTime() + HOUR_MS);
    const { loginSessions, sessions, tokens } = database;
    const waiting = { purpose: "login", createdAt: now, expiresAt: until } as const;
    const decide = async (code: string, sessionHash: string) => {
      const login = { ...waiting, code, pollHash: code.padEnd(64, "0") };
      await loginSessions.insert(login);
      const grant = { by: { actor: "ada", sessionHash, needs: undefined } };
      return loginSessions.decide(code, { status: "agreed", grant, until }, now);
    };
    const session = sessionOf({ userId: ada });
    await sessions.open(session, SIGNED_IN);
    expect(await decide("BBBB-BBBB", session.hash)).toBe("decided");
    await sessions.end(session.hash, { actor: "ada" });
    await expect(decide("CCCC-CCCC", session.hash)).rejects.toMatchObject({ reason: "signed-out" });
    expect((await loginSessions.findByCode("CCCC-CCCC"))?.grant).toBeUndefined();
    const grant = (await loginSessions.findByCode("BBBB-BBBB"))?.grant;
    expect(await tokens.insert(createTestToken().record, grant?.by ?? { actor: "" })).toBe(
      "inserted",
    );
  });

  test.each(["maker", "owner"] as const)(
    "a build job publishes nothing after its %s became a reader",
    async (which) => {
      await using database = await openTestDatabase({ type });
      const ada = await addUser(database, "ada");
      const policy = publishPolicy({ [`${which}Id`]: ada });
      await database.policies.add(policy, { actor: "system" });
      const record = tokenRecord({ policyId: policy.id });
      await database.tokens.insert(record, { actor: "system" });
      const outcome = async () => {
        const caller = { actor: "job", tokenId: record.id, needs: undefined };
        const linked = await database.oci.blobs
          .link(REPOSITORY, { digest: DIGEST, key: "k", size: 1 }, caller)
          .then(() => "changed", reasonOf);
        const [listed] = await database.policies.list();
        return [linked, listed?.isMakerGone ?? false];
      };
      for (const [role, expected] of [
        ["publisher", ["changed", false]],
        ["consumer", ["demoted", true]],
        ["administrator", ["changed", false]],
      ] as const) {
        await database.people.setRole(ada, role, { actor: "system" });
        expect(await outcome()).toEqual(expected);
      }
    },
  );

  test("a session that ended changes nothing by what began before", async () => {
    let now = new Date();
    await using database = await openTestDatabase({ type, now: () => now });
    const ada = await addUser(database, "ada");
    const { record } = createTestToken();
    await database.tokens.insert(record, { actor: "system" });
    const open = (hash: string, of: Partial<SessionRecord>) =>
      database.sessions.open(sessionOf({ ...of, hash }, now), SIGNED_IN);
    const link = (hash: string) => {
      const caller = { actor: "ada", sessionHash: hash, needs: undefined };
      const linked = database.oci.blobs.link(
        REPOSITORY,
        { digest: DIGEST, key: "k", size: 1 },
        caller,
      );
      return linked.then(() => "changed", reasonOf);
    };
    const hashes = ["rotated", "ended", "of-token", "old"] as const;
    for (const hash of hashes.slice(0, 2)) await open(hash, { userId: ada });
    await open("of-token", { tokenId: record.id });
    const change = { to: "rotated-to", at: now, graceUntil: now };
    await database.sessions.rotate("rotated", change);
    await database.sessions.end("ended", { actor: "ada", sessionHash: "ended", needs: undefined });
    expect(await Promise.all(["rotated", "rotated-to", "ended", "of-token"].map(link))).toEqual([
      "changed",
      "changed",
      "signed-out",
      "changed",
    ]);
    const late = { actor: "ada", sessionHash: "ended", needs: undefined };
    const fresh = createTestToken().record;
    const changes = [
      database.tokens.insert(fresh, late),
      database.tokens.replace(record.id, fresh, late),
    ].map((made) => made.then(() => "changed", reasonOf));
    expect(await Promise.all(changes)).toEqual(["signed-out", "signed-out"]);
    now = new Date(now.getTime() + HOUR_MS);
    expect(await link("of-token")).toBe("signed-out");
    await open("old", { userId: ada });
    await database.sessions.endAll(ada, { actor: "ada", sessionHash: "old", needs: undefined });
    await open("again", { userId: ada });
    expect(await link("again"), "of the former epoch").toBe("signed-out");
  });

  test("an administrator may give up the role, and then ends no sessions of others", async () => {
    await using database = await openTestDatabase({ type });
    const ada = await addUser(database, "ada", "administrator");
    const bob = await addUser(database, "bob", "administrator");
    const [session, other] = [sessionOf({ userId: ada }), sessionOf({ userId: bob })];
    await database.sessions.open(session, SIGNED_IN);
    await database.sessions.open(other, SIGNED_IN);
    const by = { actor: "ada", holderId: ada, sessionHash: session.hash, needs: ["admin"] };
    const { people, sessions } = database;
    expect(await people.setRole(ada, "consumer", by)).toBe("set");
    for (const id of [ada, bob]) {
      await expect(people.setRole(id, "publisher", by)).rejects.toMatchObject({
        reason: "demoted",
      });
    }
    expect(await people.find("bob")).toMatchObject({ role: "administrator" });
    await expect(sessions.endAll(bob, by)).rejects.toMatchObject({ reason: "demoted" });
    expect(await sessions.ofUser(bob)).toHaveLength(1);
    await sessions.endAll(ada, by);
    expect(await sessions.ofUser(ada)).toEqual([]);
    await expect(sessions.endAll(bob, by)).rejects.toMatchObject({ reason: "signed-out" });
  });
});

const SIGNED_IN = { by: { actor: "ada" }, method: "github" } as const;

/** A session of an hour. */
function sessionOf(fields: Partial<SessionRecord>, createdAt = new Date()): SessionRecord {
  const endsAt = new Date(createdAt.getTime() + HOUR_MS);
  return sessionRecord({ createdAt, idleEndsAt: endsAt, endsAt, ...fields });
}

function reasonOf(error: unknown): unknown {
  return error instanceof TokenEndedError ? error.reason : error;
}

async function addUser(
  { people }: Pick<Database, "people">,
  handle: string,
  role: Role = "publisher",
): Promise<string> {
  const id = randomUUID();
  const user = { id, handle, displayName: handle, role };
  await people.add(user, new Date(), { actor: "system" });
  return id;
}
