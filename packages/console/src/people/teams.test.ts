import { TEAM_MEMBERS_MAX } from "@sealhouse/identity";
import { createTestToken, newPerson } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import type { Fields } from "../testing/administration-browser.ts";
import { wordsOf } from "../testing/page-text.ts";
import { openPeople } from "../testing/people-browser.ts";

const TEAMS = "/administration/teams";
const ACCOUNTS = "/administration/accounts";

const NO_HANDLE = "is not a handle; allowed: 1 to 39 lower-case letters";
const TAKEN = "is taken: users, teams and service accounts share one list of handles";

test.each([
  [TEAMS, "", { handle: "Web" }, `"Handle" ${NO_HANDLE}`],
  [TEAMS, "", { handle: "bob" }, `"Handle" ${TAKEN}`],
  [TEAMS, "", { handle: "core", group: "Web people" }, "is not the slug of a team"],
  [TEAMS, "", { handle: "core", name: "x\u0000" }, '"Name" must have at most 200 characters'],
  [`${TEAMS}/web`, "/change", { name: "" }, '"Name" is required'],
  [`${TEAMS}/web`, "/change", { name: "Web", group: "a b" }, "is not the slug of a team"],
  [`${TEAMS}/web`, "/members", { user: "nobody", level: "member" }, '"User" is the handle of no'],
  [`${TEAMS}/web`, "/members", { user: "grace", level: "boss" }, '"Level" has no such choice'],
  [ACCOUNTS, "", { name: "a b" }, `"Name" ${NO_HANDLE}`],
  [ACCOUNTS, "", { name: "web" }, `"Name" ${TAKEN}`],
  [ACCOUNTS, "", { name: "builds", team: "none" }, '"Team" has no such choice'],
] as const satisfies readonly (readonly [string, string, Fields, string])[])(
  "%s%s refuses %j, and keeps the typed texts",
  async (page, action, fields, problem) => {
    const { send, registry } = await openPeople();
    const { teams, serviceAccounts } = registry;
    const state = async () => JSON.stringify([await teams.list(), await serviceAccounts.list()]);
    const before = await state();
    const answer = await send(page, fields, page + action);
    const html = await answer.text();
    expect([answer.status, wordsOf(html)]).toEqual([422, expect.stringContaining(problem)]);
    const [typed = ""] = Object.values<string>(fields);
    expect(html).toContain(`value="${typed}"`);
    expect(await state()).toBe(before);
  },
);

test("adds a team, changes it, and sets and removes its members", async () => {
  const { get, send, registry } = await openPeople();
  const follow = async (page: string, fields: Fields, action = page) => {
    const location = (await send(page, fields, action)).headers.get("location") ?? "";
    return wordsOf(await (await get(location, "ada")).text());
  };
  const core = `${TEAMS}/core`;
  expect(await follow(TEAMS, { handle: "core" })).toContain("The team was added.");
  const changed = await follow(core, { name: "Core <b>", group: "core-people" }, `${core}/change`);
  expect(changed).toContain("Core <b> (core)");
  expect(await registry.teams.find("core")).toMatchObject({ groupRef: "core-people" });
  await follow(core, { name: "Core" }, `${core}/change`);
  expect(await registry.teams.find("core")).not.toHaveProperty("groupRef");
  const members = `${core}/members`;
  await follow(core, { user: "bob", level: "member" }, members);
  const words = await follow(core, { user: "bob", level: "manager" }, members);
  expect(words).toMatch(/1 member .* bob bob manager by hand/);
  expect(wordsOf(await (await get(TEAMS, "ada")).text())).toMatch(/core Core None 1 web/);
  expect(await follow(core, {}, `${members}/bob/remove`)).toContain("0 members");
});

test("a team with 1,000 members takes no other, and keeps the typed texts", async () => {
  const { send, registry } = await openPeople();
  const { people, teams } = registry;
  const id = (await teams.find("web"))?.id ?? "";
  for (let count = (await teams.members(id)).length; count < TEAM_MEMBERS_MAX; count += 1) {
    const person = newPerson(`user-${count}`);
    await people.add(person, new Date(), { actor: "test" });
    await teams.setMember(id, { userId: person.id, level: "member" }, { actor: "test" });
  }
  const page = `${TEAMS}/web`;
  const answer = await send(page, { user: "root", level: "member" }, `${page}/members`);
  const html = await answer.text();
  expect([answer.status, wordsOf(html)]).toEqual([
    422,
    expect.stringContaining('"User" would be more than 1,000 members, the most of a team'),
  ]);
  expect(html).toContain('value="root"');
  expect(await teams.members(id)).toHaveLength(TEAM_MEMBERS_MAX);
});

test("adds a service account with its team, shows its tokens, and blocks it", async () => {
  const { get, send, registry, tokens } = await openPeople();
  const page = `${ACCOUNTS}/builds`;
  const added = await send(ACCOUNTS, { name: "builds", team: "web" });
  expect(added.headers.get("location")).toBe(`${page}?notice=added`);
  const account = await registry.serviceAccounts.find("builds");
  expect(wordsOf(await (await get(page, "ada")).text())).toContain("token create --account builds");
  const { record } = createTestToken({ name: "ci" });
  const held = { ...record, owner: "builds", serviceAccountId: account?.id ?? "" };
  await tokens.insert(held, { actor: "test" });
  await tokens.insert({ ...record, id: "other", owner: "builds", name: "x" }, { actor: "test" });
  await send(page, {}, `${page}/block`);
  const words = wordsOf(await (await get(page, "ada")).text());
  expect(words).toMatch(/Blocked Team web .* 1 token .* ci Active/);
  expect(wordsOf(await (await get(ACCOUNTS, "ada")).text())).toContain("builds Blocked web");
});
