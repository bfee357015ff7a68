import { expect, test } from "vitest";
import { openPeople, openSignedInPeople } from "../testing/people-browser.ts";
import type { Fields } from "../testing/administration-browser.ts";
import { openSessionBrowser } from "../testing/session-browser.ts";
import { wordsOf } from "../testing/page-text.ts";

const HOME = "http://localhost:8080";
const USERS = "/administration/users";
const TEAMS = "/administration/teams";
const ACCOUNTS = "/administration/accounts";
const HOUR_MS = 3_600_000;

test.each([USERS, TEAMS, ACCOUNTS].flatMap((path) => [path, `${path}/nothing`]))(
  "%s is for administrators of all names only",
  async (path) => {
    const { get } = await openPeople();
    const statuses = [];
    for (const user of [undefined, "reader", "narrow", "ada"] as const) {
      statuses.push((await get(path, user)).status);
    }
    expect(statuses).toEqual([401, 401, 401, path.endsWith("nothing") ? 404 : 200]);
  },
);

/** Each form, by its path, with the page that has it. */
const POSTS = [
  [`${USERS}/bob/role`, `${USERS}/bob`, { role: "consumer" }],
  [`${USERS}/bob/block`, `${USERS}/bob`, { reason: "Left." }],
  [`${USERS}/grace/approve`, `${USERS}/grace`, {}],
  [`${USERS}/eve/unblock`, `${USERS}/eve`, {}],
  [`${USERS}/ada/end-sessions`, `${USERS}/ada`, {}],
  [TEAMS, TEAMS, { handle: "core", name: "Core" }],
  [`${TEAMS}/web/change`, `${TEAMS}/web`, { name: "The web" }],
  [`${TEAMS}/web/members`, `${TEAMS}/web`, { user: "grace", level: "member" }],
  [`${TEAMS}/web/members/bob/remove`, `${TEAMS}/web`, {}],
  [ACCOUNTS, ACCOUNTS, { name: "builds", team: "web" }],
  [`${ACCOUNTS}/deploy/block`, `${ACCOUNTS}/deploy`, {}],
  [`${ACCOUNTS}/idle/unblock`, `${ACCOUNTS}/idle`, {}],
] as const satisfies readonly (readonly [string, string, Fields])[];

/** The example with everything that a form needs: a blocked user, and a session of Ada. */
async function openAttacked() {
  const example = await openPeople();
  const { people, serviceAccounts } = example.registry;
  const idle = { id: "i", name: "idle", state: "blocked", createdAt: new Date(0) } as const;
  await serviceAccounts.add(idle, { actor: "test" });
  const user = { handle: "eve", displayName: "Eve", role: "consumer", id: "e" } as const;
  await people.add(user, new Date(0), { actor: "test" });
  await people.setState("e", { state: "blocked" }, { actor: "test" });
  const { startAtProvider, get } = openSessionBrowser(example);
  await get(`/signin-microsoft?code=good&state=${await startAtProvider()}`);
  const state = async () => {
    const { teams } = example.registry;
    const members = (await teams.list()).map(({ id }) => teams.members(id));
    const [ada] = (await people.list()).filter(({ handle }) => handle === "ada");
    const sessions = ada && (await example.rows.ofUser(ada.id)).length;
    const all = [await people.list(), await teams.list(), await Promise.all(members)];
    return JSON.stringify([...all, await serviceAccounts.list(), sessions]);
  };
  return { ...example, state };
}

test("the attacks below cover every form", async () => {
  const { app } = await openPeople();
  const posts = app.routes.flatMap(({ method, path }) =>
    method === "POST" && /users|teams|accounts/.test(path) ? [path] : [],
  );
  const attacked = POSTS.map(([path]) =>
    path
      .replace(/(users|teams)\/[^/]+/, "$1/:handle")
      .replace(/accounts\/[^/]+/, "accounts/:name")
      .replace("bob", ":user"),
  );
  expect(new Set(attacked)).toEqual(new Set(posts));
});

test.each(POSTS)("no foreign page sends %s", async (path, page, fields) => {
  const { post, hiddenOn, state } = await openAttacked();
  const own = { ...(await hiddenOn(page, path)), ...fields };
  const other = { ...(await hiddenOn("/administration/names", "x")), ...fields };
  const before = await state();
  const attacks = [
    [403, post(path, own, { "sec-fetch-site": "cross-site" })],
    [403, post(path, own, { "sec-fetch-site": "same-site" })],
    [403, post(path, own, { origin: "https://evil.example" })],
    [403, post(path, own, { origin: "null" })],
    [403, post(path, fields)],
    [403, post(path, other)],
    [403, post(path, own, { user: "eve" })],
    [401, post(path, own, { user: "reader" })],
    [401, post(path, own, { user: "narrow" })],
    [401, post(path, own, { authorization: "" })],
  ] as const;
  for (const [status, answer] of attacks) expect((await answer).status).toBe(status);
  expect(await state()).toBe(before);
  const sent = await post(path, own, { origin: HOME, "sec-fetch-site": "same-origin" });
  expect(sent.status).toBe(303);
  expect(await state()).not.toBe(before);
});

test.each(POSTS)("an expired form changes nothing: %s", async (path, page, fields) => {
  const { post, hiddenOn, state, advance } = await openAttacked();
  const own = { ...(await hiddenOn(page, path)), ...fields };
  const before = await state();
  advance(HOUR_MS);
  const answer = await post(path, own);
  expect([answer.status, wordsOf(await answer.text())]).toEqual([
    422,
    expect.stringContaining("was open for more than an hour"),
  ]);
  expect(await state()).toBe(before);
});

test("a session confirms each change of a user", async () => {
  const browser = await openSignedInPeople();
  const { get, post, proofOn, registry, confirmed } = browser;
  const path = `${USERS}/bob/role`;
  const send = async (role: string) => {
    const proof = await proofOn(`${USERS}/bob`, path);
    return post(path, { proof, role });
  };
  const roleOf = async () => (await registry.people.find("bob"))?.role;
  for (const role of ["consumer", "publisher"] as const) {
    const before = await roleOf();
    const asked = await send(role);
    expect([asked.status, await roleOf()]).toEqual([303, before]);
    const page = await (await get(asked.headers.get("location") ?? "")).text();
    expect(wordsOf(page)).toContain(`set the role of bob to ${role}`);
    const done = await confirmed(asked);
    expect([done.headers.get("location"), await roleOf()]).toEqual([
      `${USERS}/bob?notice=role-set`,
      role,
    ]);
  }
});
