import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ServiceAccount } from "../people/service-accounts.ts";
import type { Team } from "../people/teams.ts";
import type { PeopleTest } from "./test-people.ts";
import { newArrival, newPerson } from "./test-people.ts";

const by = { actor: "contract" };
const createdAt = new Date("2026-03-01T10:20:30.456Z");

/** Cases of the contract of people: teams and service accounts. */
export const ownerCases: readonly PeopleTest[] = [
  {
    name: "finds, lists and changes teams",
    async run({ teams }) {
      const [web, core] = [newTeam("web", "g-1"), newTeam("core")];
      assert.equal(await teams.add(web, by), "added");
      assert.equal(await teams.add(core, by), "added");
      assert.deepEqual(await teams.list(), [core, web]);
      assert.deepEqual(await teams.find("WEB"), web);
      assert.deepEqual(await teams.find(core.id), core);
      assert.equal(await teams.find("none"), undefined);
      assert.equal(await teams.change(web.id, { displayName: "The web" }, by), "changed");
      assert.deepEqual(await teams.find("web"), { ...web, displayName: "The web" });
      assert.equal(await teams.change(randomUUID(), { displayName: "x" }, by), "absent");
    },
  },
  {
    name: "adds members with a level, and removes them",
    async run({ teams, people, userDetails }) {
      const team = newTeam("web");
      await teams.add(team, by);
      const [zoe, ada] = [newPerson("zoe"), newPerson("ada")];
      for (const person of [zoe, ada]) await people.add(person, createdAt, by);
      const set = (userId: string, level: "member" | "manager") =>
        teams.setMember(team.id, { userId, level }, by);
      assert.equal(await set(zoe.id, "member"), "set");
      assert.equal(await set(zoe.id, "member"), "unchanged");
      assert.equal(await set(zoe.id, "manager"), "set");
      assert.equal(await set(ada.id, "member"), "set");
      assert.equal(await set(randomUUID(), "member"), "absent");
      assert.equal(
        await teams.setMember(randomUUID(), { userId: ada.id, level: "member" }, by),
        "absent",
      );
      assert.deepEqual(await teams.members(team.id), [
        { userId: ada.id, handle: "ada", displayName: "ada", level: "member", source: "hand" },
        { userId: zoe.id, handle: "zoe", displayName: "zoe", level: "manager", source: "hand" },
      ]);
      assert.deepEqual(await userDetails.teams(zoe.id), [
        { handle: "web", displayName: team.displayName, level: "manager", source: "hand" },
      ]);
      assert.equal(await teams.removeMember(team.id, ada.id, by), "removed");
      assert.deepEqual(await userDetails.teams(ada.id), []);
      assert.equal(await teams.removeMember(team.id, ada.id, by), "absent");
      assert.deepEqual(
        (await teams.members(team.id)).map(({ handle }) => handle),
        ["zoe"],
      );
    },
  },
  {
    name: "groups of the provider move members, except those added by hand",
    async run({ teams, people }) {
      const [web, core] = [newTeam("web", "g-1"), newTeam("core", "g-2")];
      await teams.add(web, by);
      await teams.add(core, by);
      const { person } = await people.arrive(newArrival({ groups: ["G-1", "g-9"] }));
      await teams.setMember(core.id, { userId: person.id, level: "manager" }, by);
      const teamsOf = async () => {
        const members = await Promise.all([web, core].map(({ id }) => teams.members(id)));
        return members.map((list) => list.map(({ level, source }) => `${level} by ${source}`));
      };
      assert.deepEqual(await teamsOf(), [["member by group"], ["manager by hand"]]);
      await people.arrive(newArrival({ groups: [] }));
      assert.deepEqual(await teamsOf(), [[], ["manager by hand"]]);
      await people.arrive(newArrival({ groups: ["g-1", "g-2"] }));
      assert.deepEqual(await teamsOf(), [["member by group"], ["manager by hand"]]);
      await teams.change(web.id, { displayName: "The web" }, by);
      assert.deepEqual(await teamsOf(), [["member by group"], ["manager by hand"]]);
      for (const { id } of [web, core]) await teams.change(id, { groupRef: undefined }, by);
      assert.deepEqual(await teamsOf(), [[], ["manager by hand"]]);
      assert.equal((await teams.find("core"))?.groupRef, undefined);
    },
  },
  {
    name: "finds, lists, blocks and moves service accounts",
    async run({ serviceAccounts, teams }) {
      const team = newTeam("web");
      await teams.add(team, by);
      const [deploy, build] = [newAccount("deploy", team.id), newAccount("build")];
      assert.equal(await serviceAccounts.add(deploy, by), "added");
      assert.equal(await serviceAccounts.add(build, by), "added");
      assert.equal(await serviceAccounts.add(newAccount("build"), by), "taken");
      assert.deepEqual(await serviceAccounts.list(), [build, deploy]);
      assert.deepEqual(await serviceAccounts.find("Deploy"), deploy);
      assert.deepEqual(await serviceAccounts.find(build.id), build);
      assert.equal(await serviceAccounts.setState(build.id, "blocked", by), "set");
      assert.equal(await serviceAccounts.setState(build.id, "blocked", by), "unchanged");
      assert.equal(await serviceAccounts.setState(randomUUID(), "blocked", by), "absent");
      assert.equal(await serviceAccounts.setTeam(build.id, team.id, by), "set");
      assert.equal(await serviceAccounts.setTeam(build.id, team.id, by), "unchanged");
      assert.equal(await serviceAccounts.setTeam(build.id, randomUUID(), by), "absent");
      assert.deepEqual(await serviceAccounts.find("build"), {
        ...build,
        state: "blocked",
        teamId: team.id,
      });
      assert.equal(await serviceAccounts.setTeam(deploy.id, undefined, by), "set");
      assert.equal((await serviceAccounts.find("deploy"))?.teamId, undefined);
    },
  },
];

function newTeam(handle: string, groupRef?: string): Team {
  const team = { id: randomUUID(), handle, displayName: `Team ${handle}`, createdAt };
  return { ...team, ...(groupRef !== undefined && { groupRef }) };
}

function newAccount(name: string, teamId?: string): ServiceAccount {
  const account = { id: randomUUID(), name, state: "active", createdAt } as const;
  return { ...account, ...(teamId !== undefined && { teamId }) };
}
