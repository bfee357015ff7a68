import { randomUUID } from "node:crypto";
import { passkeyRecord, publishPolicy, tokenRecord } from "@sealhouse/identity/testing";
import type { Role } from "@sealhouse/identity";
import type { Database } from "../../database.ts";
import { OPERATOR, plainWrite, write, WRITTEN_AT } from "./write.test.support.ts";
import type { Write } from "./write.test.support.ts";

/** Adds a user, and returns its id. */
export function user(handle: string, role: Role = "publisher") {
  return async ({ people }: Pick<Database, "people">): Promise<string> => {
    const person = { id: randomUUID(), handle, displayName: handle, role };
    await people.add(person, WRITTEN_AT, OPERATOR);
    return person.id;
  };
}

function team(handle: string) {
  return async ({ teams }: Database): Promise<string> => {
    const id = randomUUID();
    await teams.add({ id, handle, displayName: handle, createdAt: WRITTEN_AT }, OPERATOR);
    return id;
  };
}

export function account(name: string) {
  return async ({ serviceAccounts }: Pick<Database, "serviceAccounts">): Promise<string> => {
    const id = randomUUID();
    const added = { id, name, state: "active", createdAt: WRITTEN_AT } as const;
    await serviceAccounts.add(added, OPERATOR);
    return id;
  };
}

async function token({ tokens }: Database): Promise<string> {
  const record = tokenRecord({ name: "w-token" });
  await tokens.insert(record, OPERATOR);
  return record.id;
}

async function memberOf(database: Database, handle: string) {
  const [teamId, userId] = [await team(handle)(database), await user(`${handle}-user`)(database)];
  await database.teams.setMember(teamId, { userId, level: "member" }, OPERATOR);
  return { teamId, userId };
}

export const PEOPLE_WRITES: readonly Write[] = [
  plainWrite({
    name: "adds a user",
    event: "user.changed",
    outcome: "added",
    again: "taken",
    run: ({ people }, caller) => {
      const person = { id: randomUUID(), handle: "w-added", displayName: "", role: "consumer" };
      return people.add({ ...person, role: "consumer" }, WRITTEN_AT, caller);
    },
  }),
  write({
    name: "sets the role of a user",
    event: "user.changed",
    outcome: "set",
    again: "unchanged",
    prepare: user("w-role"),
    run: ({ people }, caller, id) => people.setRole(id, "consumer", caller),
  }),
  write({
    name: "blocks a user",
    event: "user.changed",
    outcome: "set",
    again: "unchanged",
    prepare: user("w-blocked"),
    run: ({ people }, caller, id) => people.setState(id, { state: "blocked" }, caller),
  }),
  write({
    name: "unblocks a user",
    event: "user.changed",
    outcome: "set",
    again: "unchanged",
    async prepare(database) {
      const id = await user("w-unblocked")(database);
      await database.people.setState(id, { state: "blocked" }, OPERATOR);
      return id;
    },
    run: ({ people }, caller, id) => people.unblock(id, caller),
  }),
  plainWrite({
    name: "adds a team",
    event: "team.changed",
    outcome: "added",
    again: "taken",
    run: ({ teams }, caller) => {
      const added = { id: randomUUID(), handle: "w-team", displayName: "", createdAt: WRITTEN_AT };
      return teams.add(added, caller);
    },
  }),
  write({
    name: "changes a team",
    event: "team.changed",
    outcome: "changed",
    prepare: team("w-renamed"),
    run: ({ teams }, caller, id) => teams.change(id, { displayName: "Renamed" }, caller),
  }),
  write({
    name: "adds a member to a team",
    event: "team.changed",
    outcome: "set",
    again: "unchanged",
    async prepare(database) {
      return { teamId: await team("w-join")(database), userId: await user("w-joins")(database) };
    },
    run: ({ teams }, caller, { teamId, userId }) =>
      teams.setMember(teamId, { userId, level: "manager" }, caller),
  }),
  write({
    name: "removes a member from a team",
    event: "team.changed",
    outcome: "removed",
    again: "absent",
    prepare: (database) => memberOf(database, "w-leave"),
    run: ({ teams }, caller, { teamId, userId }) => teams.removeMember(teamId, userId, caller),
  }),
  plainWrite({
    name: "adds a service account",
    event: "account.changed",
    outcome: "added",
    again: "taken",
    run: ({ serviceAccounts }, caller) =>
      serviceAccounts.add(
        { id: randomUUID(), name: "w-account", state: "active", createdAt: WRITTEN_AT },
        caller,
      ),
  }),
  write({
    name: "blocks a service account",
    event: "account.changed",
    outcome: "set",
    again: "unchanged",
    prepare: account("w-account-blocked"),
    run: ({ serviceAccounts }, caller, id) => serviceAccounts.setState(id, "blocked", caller),
  }),
  write({
    name: "moves a service account to a team",
    event: "account.changed",
    outcome: "set",
    again: "unchanged",
    async prepare(database) {
      return { id: await account("w-moved")(database), teamId: await team("w-home")(database) };
    },
    run: ({ serviceAccounts }, caller, { id, teamId }) =>
      serviceAccounts.setTeam(id, teamId, caller),
  }),
  plainWrite({
    name: "creates a token",
    event: "token.created",
    outcome: "inserted",
    run: ({ tokens }, caller) => tokens.insert(tokenRecord({ name: "w-created" }), caller),
  }),
  write({
    name: "replaces a token",
    event: "token.replaced",
    outcome: "replaced",
    prepare: token,
    run: ({ tokens }, caller, id) =>
      tokens.replace(id, tokenRecord({ name: "w-replacing" }), caller),
  }),
  write({
    name: "adds a passkey",
    event: "passkey.changed",
    outcome: "added",
    prepare: user("w-passkey"),
    run: ({ passkeys }, caller, userId) => passkeys.add(passkeyRecord({ userId }), caller),
  }),
  write({
    name: "removes a passkey",
    event: "passkey.changed",
    outcome: "removed",
    again: "absent",
    async prepare(database) {
      const passkey = passkeyRecord({ userId: await user("w-keyless")(database) });
      await database.passkeys.add(passkey, OPERATOR);
      return passkey;
    },
    run: ({ passkeys }, caller, passkey) => passkeys.remove(passkey, caller),
  }),
  plainWrite({
    name: "adds a publish policy",
    event: "pipeline.changed",
    outcome: "added",
    run: ({ policies }, caller) =>
      policies.add(publishPolicy({ claims: { repository: "w/added" } }), caller),
  }),
  write({
    name: "removes a publish policy",
    event: "pipeline.changed",
    outcome: "removed",
    again: "absent",
    async prepare({ policies }) {
      const policy = publishPolicy({ claims: { repository: "w/removed" } });
      await policies.add(policy, OPERATOR);
      return policy.id;
    },
    run: ({ policies }, caller, id) => policies.remove(id, caller),
  }),
  write({
    name: "revokes a token",
    event: "token.revoked",
    outcome: "revoked",
    again: "unchanged",
    prepare: token,
    run: ({ tokens }, caller, id) => tokens.revoke(id, WRITTEN_AT, caller),
  }),
  write({
    name: "reports a leaked token",
    event: "token.leaked",
    outcome: "reported",
    again: "unchanged",
    prepare: token,
    run: ({ tokens }, caller, id) => tokens.reportLeak(id, { at: WRITTEN_AT }, caller),
  }),
  write({
    name: "ends the sessions of a user",
    event: "user.signed-out",
    prepare: user("w-everywhere"),
    run: ({ sessions }, caller, id) => sessions.endAll(id, caller),
  }),
];
