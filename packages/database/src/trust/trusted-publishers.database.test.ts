import { randomUUID } from "node:crypto";
import { policyActor } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import { newPerson, tokenRecord } from "@sealhouse/identity/testing";
import type { Caller } from "@sealhouse/request-types";
import type { NewTrustedPublisher, TrustedPublisher } from "@sealhouse/npm-protocol";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const alice = { actor: "alice" };
const DAY_MS = 24 * 60 * 60_000;
const newPublisher: NewTrustedPublisher = {
  provider: "github",
  issuer: "https://token.actions.test",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
  permissions: ["createPackage"],
};
const claims = {
  iss: newPublisher.issuer,
  repository: "acme/demo",
  repository_id: "7",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
  run_id: "1234",
  secret: "of no interest",
};

/** The same repository under another name. */
const RENAMED = {
  repository: "acme/renamed",
  workflow_ref: "acme/renamed/.github/workflows/publish.yml@refs/heads/main",
};

async function trusted(database: Database, name = "@acme/demo"): Promise<TrustedPublisher> {
  const { trustedPublishers } = database.npm;
  const added = await trustedPublishers.add(name, [newPublisher], alice, 9);
  const [publisher] = added.status === "added" ? added.publishers : [];
  if (!publisher) throw new Error("nobody was added");
  return publisher;
}

type Using = {
  readonly publisher: TrustedPublisher;
  readonly more?: object;
  readonly name?: string;
};

function issue(database: Database, using: Using, token: TokenRecord, by: Caller = alice) {
  const { publisher, more = {}, name: subject = "@acme/demo" } = using;
  const endsAt = new Date(Date.now() + 5 * 60_000);
  const { issuer } = newPublisher;
  const idToken = { issuer, claims: { ...claims, ...more }, fingerprint: "f", endsAt };
  const use = {
    policyId: publisher.id,
    idToken,
    surface: "npm",
    subject,
    keepsValid: false,
  } as const;
  return database.policies.use(use, token, by);
}

function inAQuarter(wish: Parameters<typeof tokenRecord>[0] = {}) {
  const expiresAt = new Date(Date.now() + 15 * 60_000);
  return tokenRecord({ createdAt: new Date(), expiresAt, ...wish });
}

const HEX_32_BYTES = expect.stringMatching(/^[\da-f]{64}$/) as string;

describe.each(testableDatabases())("%s", (type) => {
  test.each([
    [{ repository: "acme/z.git" }, /claim repository .* must be an owner and a repository/],
    [{ workflow_ref: { file: "a.yml,b.yml" } }, /claim workflow_ref .* must be a file name/],
  ])("a publisher with %j is refused, as a pipeline is", async (change, reason) => {
    await using database = await openTestDatabase({ type });
    const wish = { ...newPublisher, claims: { ...newPublisher.claims, ...change } };
    const { trustedPublishers } = database.npm;
    expect(await trustedPublishers.add("@acme/demo", [wish], alice, 9)).toEqual({
      status: "refused",
      reason: expect.stringMatching(reason) as string,
    });
    expect(await trustedPublishers.list("@acme/demo")).toEqual([]);
  });

  test.each(["member", "manager"] as const)("a %s of a team trusts a job", async (level) => {
    await using database = await openTestDatabase({ type });
    const { people, teams, ownership, npm, policies } = database;
    const [person, createdAt] = [newPerson("ada"), new Date()];
    const team = { id: randomUUID(), handle: "web", displayName: "Web", createdAt };
    await people.add(person, createdAt, alice);
    await teams.add(team, alice);
    await teams.setMember(team.id, { userId: person.id, level }, alice);
    const name = { protocol: "npm", name: "@acme/demo" } as const;
    const owner = { id: team.id, kind: "team", level: "manage" } as const;
    await ownership.ownerships.grant(name, owner, alice);
    await npm.trustedPublishers.add(
      name.name,
      [newPublisher],
      { ...alice, holderId: person.id },
      9,
    );
    const [policy] = await policies.list();
    expect([policy?.ownerId, policy?.makerId]).toEqual([
      team.id,
      level === "manager" ? person.id : undefined,
    ]);
  });

  test("stores the token of a trusted publisher with its package", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens, events } = database;
    const publisher = await trusted(database);
    const by = { actor: policyActor(publisher) };
    const token = inAQuarter({ id: randomUUID() });
    expect(await issue(database, { publisher }, token, by)).toBe("issued");
    expect(await tokens.findById(token.id)).toMatchObject({ owner: by.actor });
    const [added, created, ...none] = await events.outbox.pending("test", 100);
    expect(none).toEqual([]);
    expect(added).toMatchObject({
      type: "package.trust-changed",
      subject: "npm/@acme/demo",
      caller: alice,
      detail: {
        change: "added",
        ...newPublisher,
        id: publisher.id,
        set: { salt: HEX_32_BYTES, sha256: HEX_32_BYTES },
      },
    });
    expect(created).toMatchObject({
      type: "token.created",
      subject: `token/${token.id}`,
      caller: by,
      detail: { trustedPublisher: { id: publisher.id, iss: newPublisher.issuer, run_id: "1234" } },
    });
    expect(JSON.stringify(created)).not.toContain("of no interest");
  });

  test("tokens of one ID token replace each other, so that one is valid", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens, events } = database;
    const publisher = await trusted(database);
    const id = randomUUID();
    const all = Array.from({ length: 6 }, () => ({ ...inAQuarter(), id }));
    const issued = await Promise.all(all.map((token) => issue(database, { publisher }, token)));
    expect(issued.toSorted()).toEqual(["issued", ...all.slice(1).map(() => "replaced")]);
    const good = async () => {
      const tokenLists = await Promise.all(all.map(({ prefix }) => tokens.findByPrefix(prefix)));
      return all.filter((token, index) =>
        tokenLists[index]?.some(({ hash }) => hash === token.hash),
      );
    };
    expect(await good()).toHaveLength(1);
    const pending = await events.outbox.pending("test", 100);
    const replacing = pending.filter(({ detail }) => detail?.["replaces"] === id);
    expect(replacing).toHaveLength(all.length - 1);

    await tokens.revoke(id, new Date(), alice);
    expect(await issue(database, { publisher }, { ...inAQuarter(), id })).toBe("revoked");
    expect((await tokens.findById(id))?.revokedAt).toBeDefined();
  });

  test("a repeated exchange revokes the tokens that the former token made", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens } = database;
    const publisher = await trusted(database);
    const id = randomUUID();
    const again = () => issue(database, { publisher }, { ...inAQuarter(), id });
    expect(await again()).toBe("issued");
    const child = inAQuarter({ parentId: id });
    const grandchild = inAQuarter({ parentId: child.id });
    for (const token of [child, grandchild]) await tokens.insert(token, alice);
    expect(await again()).toBe("replaced");
    const made = await Promise.all([child, grandchild].map((token) => tokens.findById(token.id)));
    expect(made.map((token) => token?.revokedAt)).toEqual([expect.any(Date), expect.any(Date)]);
    expect((await tokens.findById(id))?.revokedAt).toBeUndefined();
  });

  test("the first token stores the numeric ids of the repository", async () => {
    await using database = await openTestDatabase({ type });
    const { trustedPublishers } = database.npm;
    const publisher = await trusted(database);
    const after = (more: object) => issue(database, { publisher, more }, inAQuarter());
    expect(await after({ repository: "acme/other" })).toBe("distrusted");
    expect(await after({})).toBe("issued");
    expect(await after({ repository_id: "8" })).toBe("distrusted");
    expect(await after(RENAMED)).toBe("issued");
    const [keptPublisher] = await trustedPublishers.list("@acme/demo");
    expect(keptPublisher?.claims).toEqual({ ...newPublisher.claims, repository_id: "7" });
  });

  test("removing a publisher revokes only its tokens", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens, events } = database;
    const { trustedPublishers } = database.npm;
    const [publisher, other] = [await trusted(database), await trusted(database, "other")];
    const [mine, over] = [inAQuarter(), inAQuarter({ expiresAt: new Date(Date.now() - 1) })];
    const theirs = inAQuarter();
    for (const token of [mine, over]) {
      await issue(database, { publisher }, token);
    }
    await issue(database, { publisher: other, name: "other" }, theirs);
    expect(await trustedPublishers.revoke("@acme/demo", publisher.id, alice)).toBe("revoked");
    const revoked = async (id: string) => (await tokens.findById(id))?.revokedAt !== undefined;
    expect(await Promise.all([mine, over, theirs].map(({ id }) => revoked(id)))).toEqual([
      true,
      false,
      false,
    ]);
    const last = (await events.outbox.pending("test", 100)).slice(-2);
    expect(last.map(({ type: what, subject }) => `${what} ${subject}`)).toEqual([
      `token.revoked token/${mine.id}`,
      "package.trust-changed npm/@acme/demo",
    ]);
    const late = issue(database, { publisher }, inAQuarter());
    expect(await late).toBe("distrusted");
  });

  test("deletes tokens whose ID tokens have expired", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens } = database;
    const publisher = await trusted(database);
    const ago = (days: number) => inAQuarter({ createdAt: new Date(Date.now() - days * DAY_MS) });
    const [old, young] = [ago(4), ago(2)];
    for (const token of [old, young, inAQuarter()]) {
      await issue(database, { publisher }, token);
    }
    expect(await tokens.findById(old.id)).toBeUndefined();
    expect(await tokens.findById(young.id)).toBeDefined();
  });
});

afterAll(leaveTestServers);
