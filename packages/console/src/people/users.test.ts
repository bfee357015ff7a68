import { expect, test } from "vitest";
import { createTestToken, sessionRecord } from "@sealhouse/identity/testing";
import { openPeople } from "../testing/people-browser.ts";
import { wordsOf } from "../testing/page-text.ts";

const USERS = "/administration/users";

test.each([
  ["", ["bob", "grace", "root"]],
  ["?q=HOPPER", ["grace"]],
  ["?role=administrator", ["root"]],
  ["?state=pending", ["grace"]],
  ["?q=bob&role=publisher&state=active", ["bob"]],
  ["?role=nothing&skip=x", ["bob", "grace", "root"]],
  ["?q=nobody", []],
])("lists the users of %s", async (query, handles) => {
  const { get } = await openPeople();
  const page = await (await get(USERS + query, "ada")).text();
  const found = [...page.matchAll(/users\/([\w-]+)">/g)].map(([, handle]) => handle);
  expect(found).toEqual(handles);
  expect(page).not.toContain("<b>Hopper");
});

test("lists fifty users on a page", async () => {
  const { get, registry } = await openPeople();
  for (let number = 100; number < 152; number++) {
    const user = { id: `id-${number}`, handle: `user-${number}`, displayName: "A user" };
    await registry.people.add({ ...user, role: "consumer" }, new Date(0), { actor: "test" });
  }
  const first = await (await get(`${USERS}?q=user-`, "ada")).text();
  expect(wordsOf(first)).toContain("52 users");
  expect(first).not.toContain("user-150");
  const [, next = ""] = /rel="next" href="([^"]+)"/.exec(first) ?? [];
  const second = await (await get(next.replaceAll("&amp;", "&"), "ada")).text();
  expect(second).toContain("user-151");
  expect(second).not.toContain("user-149");
});

test.each([
  ["root", "role", { role: "consumer" }, "root is the last active administrator"],
  ["root", "block", {}, "root is the last active administrator"],
  ["bob", "role", { role: "owner" }, '"Role" has no such choice'],
  ["bob", "block", { reason: "x\u0000" }, '"Reason" must have at most 500 characters'],
] as const)("does not change %s by %s %j", async (handle, action, fields, problem) => {
  const { post, hiddenOn, registry } = await openPeople();
  const path = `${USERS}/${handle}/${action}`;
  const before = await registry.people.list();
  const hidden = await hiddenOn(`${USERS}/${handle}`, path);
  const answer = await post(path, { ...hidden, ...fields });
  expect([409, 422]).toContain(answer.status);
  expect(wordsOf(await answer.text())).toContain(problem);
  expect(await registry.people.list()).toEqual(before);
});

test("a form about an older state of a user changes nothing", async () => {
  const { post, hiddenOn, registry } = await openPeople();
  const { people } = registry;
  const path = `${USERS}/grace/unblock`;
  const { id = "" } = (await people.find("grace")) ?? {};
  await people.setState(id, { state: "blocked" }, { actor: "eve" });
  const hidden = await hiddenOn(`${USERS}/grace`, path);
  await people.unblock(id, { actor: "eve" });
  const answer = await post(path, hidden);
  expect([answer.status, wordsOf(await answer.text())]).toEqual([
    409,
    expect.stringContaining("grace is pending."),
  ]);
  expect((await people.find("grace"))?.state).toBe("pending");
});

test("approves, blocks and unblocks a user, and sets the role", async () => {
  const { get, send, registry } = await openPeople();
  const page = `${USERS}/grace`;
  const act = async (action: string, fields = {}) => {
    const answer = await send(page, fields, `${page}/${action}`);
    const { pathname, search } = new URL(answer.headers.get("location") ?? "", "http://x.example");
    const words = wordsOf(await (await get(pathname + search, "ada")).text());
    const { state, role, roleSource, reason } = (await registry.people.find("grace")) ?? {};
    return [state, role, roleSource, reason, words];
  };
  const saying = (text: string) => expect.stringContaining(text);
  expect(await act("approve")).toEqual([
    "active",
    "consumer",
    "group",
    undefined,
    saying("The user is approved"),
  ]);
  const [, , , , blocked] = await act("block", { reason: "Left <us>." });
  expect(blocked).toEqual(saying("Reason of the state Left <us>."));
  const [state] = await act("unblock");
  expect(state).toBe("active");
  expect((await act("role", { role: "publisher" })).slice(1, 3)).toEqual(["publisher", "hand"]);
  expect((await act("role", { role: "group" })).slice(1, 3)).toEqual(["publisher", "group"]);
});

test("a page of a user shows teams, tokens, names and accounts", async () => {
  const { get, registry, tokens } = await openPeople();
  const bob = await registry.people.find("bob");
  const { record } = createTestToken({ name: "laptop", scopes: ["read", "delete"] });
  const held = { ...record, owner: "bob", ...(bob && { userId: bob.id }) };
  await tokens.insert(held, { actor: "test" });
  const other = createTestToken({ name: "other", scopes: ["read"] }).record;
  await tokens.insert({ ...other, owner: "bob" }, { actor: "test" });
  const words = wordsOf(await (await get(`${USERS}/bob`, "ada")).text());
  expect(words).toMatch(/1 team .* web Web people manager by hand/);
  expect(words).toMatch(/1 token .* laptop Active read, delete None Never Never/);
  expect(words).toMatch(/1 owned name .* npm @acme\/app/);
  expect(words).not.toContain("other");
  const grace = wordsOf(await (await get(`${USERS}/grace`, "ada")).text());
  expect(grace).toContain("grace@acme.example at https://idp.example");
});

test("the page of a user counts the sessions that have not ended", async () => {
  const { get, registry, rows, ports } = await openPeople();
  const { id: userId } = (await registry.people.find("bob")) ?? {};
  const now = ports.rules.now();
  const endsAt = new Date(now.getTime() + 1);
  const sessions = [{ endsAt }, { endsAt, idleEndsAt: now }, { endsAt, epoch: 7 }, { endsAt: now }];
  for (const fields of sessions) {
    const session = sessionRecord({ createdAt: new Date(0), idleEndsAt: endsAt, ...fields });
    const opened = { ...session, ...(userId !== undefined && { userId }) };
    await rows.open(opened, { by: { actor: "bob" }, method: "github" });
  }
  expect(wordsOf(await (await get(`${USERS}/bob`, "ada")).text())).toContain("1 session Browser");
});
