import { expect, test } from "vitest";
import { openKeys } from "../testing/example-keys.ts";
import { wordsOf } from "../testing/page-text.ts";

const KEYS = "/administration/api-keys";
const NEW = `${KEYS}/new`;
const HOSTILE = '<script>alert("x")</script>';

test("lists keys of all holders, and filters those that expire, are unused or leaked", async () => {
  const { get, add } = await openKeys();
  await add("soon", { expiresAt: new Date("2026-03-10T12:00:00Z") });
  const used = { lastUsedAt: new Date("2026-02-28T12:00:00Z"), lastUsedFrom: "192.0.2.7" };
  const { token } = await add(HOSTILE, used);
  await add("lost", { leakedAt: new Date("2026-02-28T12:00:00Z"), revokedAt: new Date() });
  const html = await (await get(KEYS, "ada")).text();
  const words = wordsOf(html);
  expect(words).toContain("soon The operators read None Never In 9 days Active");
  expect(words).toContain("1 day ago from 192.0.2.7 Never Active");
  expect(words).toContain("Revoked Reported as leaked");
  expect(html).not.toContain(HOSTILE);
  expect(html).not.toContain(token);
  const names = async (query: string) => {
    const text = await (await get(`${KEYS}?${query}`, "ada")).text();
    return [...text.matchAll(/<a href="[^"]*api-keys\/[0-9a-f-]{36}">([^<]*)/g)].map(
      ([, one]) => one,
    );
  };
  expect(await names("expiresWithin=30d")).toEqual(["soon"]);
  expect(await names("leaked=true")).toEqual(["lost"]);
  expect(await names("unused=true&state=active")).toContain("soon");
  const wrong = await get(`${KEYS}?user=nobody`, "ada");
  expect([wrong.status, wordsOf(await wrong.text())]).toEqual([
    422,
    expect.stringContaining('There is no user "nobody"'),
  ]);
  expect((await get(KEYS, "reader")).status).toBeGreaterThan(400);
});

test("a key from a preset is shown once, with an end", async () => {
  const { get, send, post, hiddenOn, tokens } = await openKeys();
  const form = await (await get(`${NEW}?name=ci&scopes=read,publish&expires=90d`, "ada")).text();
  expect(form).toMatch(/value="publish"\s+checked/);
  expect(form).toMatch(/type="date"\s+value="2026-05-30"/);
  const fields = { name: "ci", scopes: "read", expires: "2026-05-30", user: "bob" };
  const refused = await send(NEW, { ...fields, networks: "no network" });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("no network");
  const page = await send(NEW, fields);
  const html = await page.text();
  const [token = ""] = /sh[a-z]*_[\w-]{20,}/.exec(html) ?? [];
  expect([page.status, page.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
  expect(token).not.toBe("");
  const [made] = (await tokens.page({ now: new Date(), limit: 100 })).filter(
    ({ name }) => name === "ci",
  );
  expect(made).toMatchObject({ expiresAt: new Date("2026-05-30"), scopes: ["read"] });
  const one = `${KEYS}/${made?.id}`;
  for (const path of [KEYS, one])
    expect(await (await get(path, "ada")).text()).not.toContain(token);
  expect(wordsOf(await (await get(one, "ada")).text())).toContain("read: get packages and images");
  // The code of another form, and another site.
  const hidden = await hiddenOn(KEYS, `${KEYS}/revoke`);
  expect((await post(NEW, { ...hidden, ...fields })).status).toBe(403);
  const foreign = { "sec-fetch-site": "cross-site" };
  const own = await hiddenOn(NEW, NEW);
  expect((await post(NEW, { ...own, ...fields }, foreign)).status).toBe(403);
});

test("revokes many keys with one confirmation, which asks again when more would end", async () => {
  const { get, post, hiddenOn, add, tokens, app, authorizationOf } = await openKeys();
  const ids: string[] = [];
  for (let at = 0; at < 50; at++) ids.push((await add(`build-${at}`)).id);
  const send = async (fields: readonly (readonly [string, string])[]) =>
    app.request(`http://localhost:8080${KEYS}/revoke`, {
      method: "POST",
      headers: {
        authorization: authorizationOf("ada"),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams(
        fields.map(([name, value]): [string, string] => [name, value]),
      ).toString(),
    });
  const { proof = "" } = await hiddenOn(KEYS, `${KEYS}/revoke`);
  const asked = await send([["proof", proof], ...ids.map((id) => ["ids", id] as const)]);
  const html = await asked.text();
  const fieldsIn = (page: string) =>
    [...page.matchAll(/type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value] as const,
    );
  expect(wordsOf(html)).toMatch(/Revoke 50 API keys\? .*build-\d+.* and 40 more/);
  await add("child", { parentId: ids[0] });
  const again = await (await send(fieldsIn(html))).text();
  expect(wordsOf(again)).toMatch(/It changed while you read it.* Revoke|Revoke 51 API keys\?/);
  const live = async () =>
    (await tokens.page({ now: new Date(), limit: 200, state: "active" })).filter(
      ({ name }) => name.startsWith("build-") || name === "child",
    ).length;
  expect(await live()).toBe(51);
  const done = await send(fieldsIn(again));
  expect([done.status, await live()]).toEqual([303, 0]);
  const page = await get(`${KEYS}?notice=tokens.revoke-all`, "ada");
  expect(wordsOf(await page.text())).toContain("The API keys were revoked.");
  expect((await post(`${KEYS}/revoke`, { proof })).status).toBe(422);
});

test("the page of a key names the keys that end with it, and replaces it", async () => {
  const { get, send, add } = await openKeys();
  const parent = await add("parent");
  await add("child", { parentId: parent.id });
  const page = `${KEYS}/${parent.id}`;
  expect(wordsOf(await (await get(page, "ada")).text())).toContain("1 key made with it child");
  const asked = await send(page, { sure: "" }, `${page}/revoke`);
  expect(wordsOf(await asked.text())).toContain("2 API keys: parent, child.");
  const replaced = await send(`${page}/replace`, { expires: "2026-06-01" });
  expect(wordsOf(await replaced.text())).toContain("Copy the key now");
  const revoked = await send(page, {}, `${page}/revoke`);
  expect(revoked.headers.get("location")).toMatch(/api-keys\?notice=tokens.revoke$/);
});
