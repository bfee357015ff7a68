import { randomUUID } from "node:crypto";
import { mailConsumer } from "@sealhouse/events";
import { publishPolicy, tokenRecord } from "@sealhouse/identity/testing";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

afterAll(leaveTestServers);

const by = { actor: "operator" };
const at = new Date("2026-03-01T10:05:00Z");
const BAR = { protocol: "npm", name: "bar" } as const;
const addressOf = (handle: string) => `${handle}@acme.example`;

/** Ada owns `bar`. Team `web` has the manager Lin, Max, Cy who is blocked, and Noa without mail. */
async function openPeople(type: ReturnType<typeof testableDatabases>[number]) {
  const database = await openTestDatabase({ type });
  const { people, teams, npm } = database;
  const ids = new Map<string, string>();
  for (const handle of ["ada", "bob", "cy", "lin", "max", "noa"]) {
    const id = randomUUID();
    ids.set(handle, id);
    const email = handle === "noa" ? {} : { email: addressOf(handle) };
    const role = handle === "ada" ? "administrator" : "publisher";
    await people.add({ id, handle, displayName: handle, role, ...email }, at, by);
  }
  const idOf = (handle: string) => ids.get(handle) ?? "";
  await people.setState(idOf("cy"), { state: "blocked" }, by);
  const web = { id: randomUUID(), handle: "web", displayName: "Web", createdAt: at };
  await teams.add(web, by);
  for (const handle of ["lin", "max", "cy", "noa"]) {
    const level = handle === "lin" ? "manager" : "member";
    await teams.setMember(web.id, { userId: idOf(handle), level }, by);
  }
  await npm.recorder.publish(newNpmVersion({ name: "bar" }), {
    actor: "ada",
    holderId: idOf("ada"),
  });
  return { database, idOf, web };
}

/** Hands new events to the mail of two instances, and returns the mails that were added. */
async function mailed(database: Database): Promise<readonly string[]> {
  const { outbox, mails } = database.events;
  const before = (await mails.list({ limit: 1_000 })).length;
  const consumer = mailConsumer({
    queue: mails,
    serverName: "Feed",
    administrators: [],
    isFirstToken: async () => false,
    receivers: database.mailReceivers,
  });
  const events = await outbox.pending("mail", 1_000, consumer.types);
  await Promise.all([consumer.handle(events), consumer.handle(events)]);
  await outbox.delivered(
    "mail",
    events.map(({ id }) => id),
    consumer.types,
  );
  const all = await mails.list({ limit: 1_000 });
  const added = all.slice(0, all.length - before);
  return added.map(({ template, recipient }) => `${template} ${recipient}`).toSorted();
}

const told = (template: string, ...handles: readonly string[]) =>
  handles.map((handle) => `${template} ${addressOf(handle)}`);

describe.each(testableDatabases())("mail to people in %s", (type) => {
  test("tells active owners of each change of a name once, over two instances", async () => {
    const { database, idOf, web } = await openPeople(type);
    await using _ = database;
    const { ownership, visibilities, npm, policies } = database;
    const { ownerships, transfers } = ownership;
    expect(await mailed(database)).toEqual([]);
    const grant = (id: string, kind: "user" | "team", level: "read" | "publish" | "manage") =>
      ownerships.grant(BAR, { id, kind, level }, by);
    await grant(web.id, "team", "publish");
    expect(await mailed(database)).toEqual(told("owners-changed", "ada", "lin", "max"));
    // Ada has one mail about other owners of the name by this actor in an hour.
    await grant(idOf("bob"), "user", "read");
    expect(await mailed(database)).toEqual(told("owners-changed", "bob", "lin", "max"));
    await visibilities.set("npm", "bar", { visibility: "private", by });
    expect(await mailed(database)).toEqual([]);
    await visibilities.set("npm", "bar", { visibility: "public", by });
    expect(await mailed(database)).toEqual(told("name-public", "ada", "lin", "max"));
    const publisher = {
      provider: "github",
      issuer: "https://token.actions.test",
      claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
      permissions: ["createPackage"],
    } as const;
    await npm.trustedPublishers.add("bar", [publisher], by, 9);
    expect(await mailed(database)).toEqual(told("pipeline-changed", "ada", "lin", "max"));
    const policy = { ...publishPolicy(), protocols: ["npm"], patterns: ["b*"] } as const;
    await policies.add({ ...policy, ownerId: web.id }, by);
    expect(await mailed(database)).toEqual(told("pipeline-changed", "lin", "max"));
    const id = randomUUID();
    const offer = { id, name: BAR, fromId: idOf("ada"), level: "manage" } as const;
    const expiresAt = new Date(Date.now() + 60_000);
    await transfers.offer({ ...offer, toId: idOf("bob"), expiresAt }, by);
    expect(await mailed(database)).toEqual(told("transfer-offered", "bob"));
    await transfers.accept(id, by);
    expect(await mailed(database)).toEqual(told("owners-changed", "ada", "bob"));
  });

  test("tells users of their roles, and the managers of a team of its tokens", async () => {
    const { database, idOf, web } = await openPeople(type);
    await using _ = database;
    const { people, serviceAccounts, tokens, mailReceivers } = database;
    for (const handle of ["bob", "cy"]) await people.setRole(idOf(handle), "consumer", by);
    expect(await mailed(database)).toEqual(told("role-changed", "bob"));
    const account = { id: randomUUID(), name: "builds", teamId: web.id, createdAt: at } as const;
    await serviceAccounts.add({ ...account, state: "active" }, by);
    const [ofTeam, ofAda, ofCy, ofNobody] = [
      tokenRecord({ serviceAccountId: account.id }),
      tokenRecord({ userId: idOf("ada"), scopes: ["admin"] }),
      tokenRecord({ userId: idOf("cy"), scopes: ["admin"] }),
      tokenRecord({ scopes: ["admin"] }),
    ];
    const all = [ofTeam, ofAda, ofCy, ofNobody];
    for (const token of all) await tokens.insert(token, by);
    expect(await mailed(database)).toEqual(told("admin-token", "ada"));
    expect(await Promise.all(all.map(({ id }) => mailReceivers.ofToken(id)))).toEqual([
      [addressOf("lin")],
      [addressOf("ada")],
      [],
      [],
    ]);
    const isOne = (handle: string) => mailReceivers.isAdministrator(idOf(handle));
    expect([await isOne("ada"), await isOne("bob")]).toEqual([true, false]);
  });
});
