import { createTestToken, publishPolicy } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { openExampleNames } from "../testing/example-names.ts";
import { wordsOf } from "../testing/page-text.ts";
import { OWN_FORM } from "../testing/session-browser.ts";
import { OWN_TASKS } from "./own-tasks.ts";

type Fields = Readonly<Record<string, string>>;

const PAGE = "/account/names";
const NEW_PIPELINE = `${PAGE}/new-pipeline`;
const MINUTE_MS = 60_000;
const FOREIGN = { protocol: "npm", name: "foreign" } as const;
const GITHUB = { provider: "github", repo: "acme/app", file: "p.yml", life: "15", for: "ada" };

/** Every form of the page, with texts that change something. */
const FORMS = [
  ["accept", { offer: "offer-1" }],
  ["decline", { offer: "offer-1" }],
  ["new-pipeline", { ...GITHUB, protocol: "npm", name: "@acme/new" }],
  ["remove-pipeline", { pipeline: "p1" }],
] as const satisfies readonly (readonly [string, Fields])[];

/** Bob offers Ada a name, and another one to himself; pipelines wait for Ada and for Bob. */
async function openOwn(options: Parameters<typeof openExampleNames>[0] = {}) {
  const example = await openExampleNames(options);
  const { ada, transfers, ownerships, policies, ports } = example;
  const expiresAt = new Date(ports.rules.now().getTime() + 5 * MINUTE_MS);
  const offer = { name: FOREIGN, fromId: "id-of-bob", level: "manage", expiresAt } as const;
  const by = { actor: "bob" };
  await transfers.offer({ ...offer, id: "offer-1", toId: ada.id }, by);
  await transfers.offer({ ...offer, id: "offer-2", toId: "id-of-bob" }, by);
  const waiting = { state: "pending", patterns: ["@acme/next"] } as const;
  await policies.add(publishPolicy({ ...waiting, id: "p1", makerId: ada.id }), by);
  await policies.add(publishPolicy({ ...waiting, id: "p2", makerId: "id-of-bob" }), by);
  const state = async () =>
    JSON.stringify([
      await ownerships.list(FOREIGN),
      await transfers.list(),
      (await policies.list()).map(({ patterns }) => patterns),
    ]);
  return { ...example, state };
}

const pageOf = (task: string) => (task === "new-pipeline" ? NEW_PIPELINE : PAGE);

test("the attacks below cover every form", () => {
  expect(FORMS.map(([task]) => task).toSorted()).toEqual(Object.keys(OWN_TASKS).toSorted());
});

test.each(FORMS)("only the person who is signed in sends the form %s", async (task, fields) => {
  const { post, get, proofOn, state, tokens, tokenOf, ada, users, ports } = await openOwn();
  const path = `${PAGE}/${task}`;
  const proof = await proofOn(pageOf(task), path);
  expect(proof).not.toBe("");
  const other = await proofOn(PAGE, `${PAGE}/${task === "accept" ? "decline" : "accept"}`);
  const user = users.get(ada.id);
  const narrow = createTestToken(
    { name: "narrow", scopes: ["read", "write"], patterns: ["@acme/*"] },
    ports.rules.now(),
  );
  await tokens.insert(
    { ...narrow.record, userId: ada.id, ...(user && { user }) },
    { actor: "test" },
  );
  const before = await state();
  const sent = { ...fields, proof };
  const bearer = (token: string) => ({ ...OWN_FORM, authorization: `Bearer ${token}` });
  const attacks = [
    [403, path, sent, { "sec-fetch-site": "cross-site" }],
    [403, path, fields, OWN_FORM],
    [403, path, { ...fields, proof: `${proof}x` }, OWN_FORM],
    [403, path, { ...fields, proof: other }, OWN_FORM],
    [400, path, sent, { ...OWN_FORM, "content-type": "text/plain" }],
    [404, `${PAGE}/unknown`, sent, OWN_FORM],
    [401, path, sent, bearer(narrow.token)],
    [401, path, sent, bearer(tokenOf("ada"))],
    [401, path, sent, { ...OWN_FORM, cookie: "none=1" }],
  ] as const;
  for (const [status, target, values, headers] of attacks) {
    const answer = await post(target, values, headers);
    expect([target, headers, answer.status]).toEqual([target, headers, status]);
  }
  await get(`${path}?${new URLSearchParams(sent).toString()}`);
  expect(await state()).toBe(before);
  expect((await post(path, sent)).status).toBe(303);
  expect(await state()).not.toBe(before);
});

test.each(FORMS)("a session confirms the form %s before", async (task, fields) => {
  const { post, proofOn, state, confirm } = await openOwn();
  confirm(false);
  const proof = await proofOn(pageOf(task), `${PAGE}/${task}`);
  const before = await state();
  const led = await post(`${PAGE}/${task}`, { ...fields, proof });
  expect(led.headers.get("location")).toMatch(/^\/account\/confirm\//);
  expect(await state()).toBe(before);
});

test("lists names of the user and its teams, and offers to them", async () => {
  const { get } = await openOwn();
  const words = wordsOf(await (await get(PAGE)).text());
  expect(words).toContain("foreign npm package, offered by bob ada manage");
  expect(words).toContain("acme.core NuGet package manage builders");
  expect(words).toContain("published-only npm package publish ada");
  expect(words).not.toContain("secret");
  expect(words.match(/acme\/demo GitHub Actions Pending/g)).toHaveLength(1);
});

test.each([
  [4, "accepted", ["ada"]],
  [5, "ended", ["bob"]],
] as const)("an answer after %s minutes of five is %s", async (minutes, notice, owners) => {
  const { post, proofOn, advance, ownerships } = await openOwn();
  const proof = await proofOn(PAGE, `${PAGE}/accept`);
  advance(minutes * MINUTE_MS);
  const answer = await post(`${PAGE}/accept`, { offer: "offer-1", proof });
  expect(answer.headers.get("location")).toBe(`${PAGE}?notice=${notice}`);
  expect((await ownerships.list(FOREIGN)).map(({ handle }) => handle)).toEqual(owners);
});

test.each([
  ["accept", { offer: "offer-2" }],
  ["decline", { offer: "offer-2" }],
  ["remove-pipeline", { pipeline: "p2" }],
] as const)("%s is for the own offers and pipelines", async (task, fields) => {
  const { post, proofOn, state } = await openOwn();
  const before = await state();
  const proof = await proofOn(PAGE, `${PAGE}/${task}`);
  expect((await post(`${PAGE}/${task}`, { ...fields, proof })).status).toBe(303);
  expect(await state()).toBe(before);
});

test("a reader declines an offer, and accepts none", async () => {
  const { post, proofOn, transfers } = await openOwn({ role: "consumer" });
  const decide = async (task: string) => {
    const proof = await proofOn(PAGE, `${PAGE}/${task}`);
    return (await post(`${PAGE}/${task}`, { offer: "offer-1", proof })).status;
  };
  expect([await decide("accept"), await decide("decline")]).toEqual([403, 303]);
  expect((await transfers.list()).map(({ id }) => id)).toEqual(["offer-2"]);
});

test.each([
  ["manager", 1, "manage", 303],
  ["member", 0, "publish", 422],
] as const)(
  "a %s of a team decides about %s of its offers",
  async (teamLevel, count, level, status) => {
    const { get, post, proofOn, ports, ownerships, transfers, policies } = await openOwn({
      teamLevel,
    });
    const expiresAt = new Date(ports.rules.now().getTime() + MINUTE_MS);
    const offer = {
      id: "offer-3",
      name: FOREIGN,
      fromId: "id-of-bob",
      toId: "id-of-builders",
    } as const;
    await transfers.offer({ ...offer, level: "manage", expiresAt }, { actor: "bob" });
    const waiting = { id: "p3", state: "pending", patterns: ["@acme/last"] } as const;
    await policies.add(publishPolicy({ ...waiting, ownerId: "id-of-builders" }), { actor: "bob" });
    const words = wordsOf(await (await get(PAGE)).text());
    expect(words).toContain(`acme.core NuGet package ${level} builders`);
    expect(words.match(/offered by bob builders/g) ?? []).toHaveLength(count);
    const forTeam = { ...GITHUB, protocol: "npm", name: "@acme/more", for: "builders" };
    const proof = await proofOn(NEW_PIPELINE, NEW_PIPELINE);
    expect((await post(NEW_PIPELINE, { ...forTeam, proof })).status).toBe(status);
    const removal = { pipeline: "p3", proof: await proofOn(PAGE, `${PAGE}/remove-pipeline`) };
    await post(`${PAGE}/remove-pipeline`, removal);
    expect((await policies.list()).filter(({ id }) => id === "p3")).toHaveLength(1 - count);
    const accepted = { offer: "offer-3", proof: await proofOn(PAGE, `${PAGE}/accept`) };
    await post(`${PAGE}/accept`, accepted);
    const owners = (await ownerships.list(FOREIGN)).map(({ handle }) => handle);
    expect(owners).toEqual([count === 1 ? "builders" : "bob"]);
  },
);

test.each([
  { task: "accept", of: "foreign", has: false, status: 403 },
  { task: "accept", of: "foreign", has: true, status: 303 },
  { task: "accept", of: "@acme/*", has: false, status: 303 },
  { task: "decline", of: "foreign", has: false, status: 303 },
  { task: "remove-pipeline", of: "@acme/*", has: false, status: 403 },
  { task: "remove-pipeline", of: "@acme/*", has: true, status: 303 },
])("$task with a second factor $has, which $of requires", async ({ task, of, has, status }) => {
  const { post, proofOn, state } = await openOwn({ mfaPatterns: [of], hasSecondFactor: has });
  const before = await state();
  const proof = await proofOn(PAGE, `${PAGE}/${task}`);
  const answer = await post(`${PAGE}/${task}`, { offer: "offer-1", pipeline: "p1", proof });
  expect(answer.status).toBe(status);
  const isRefused = wordsOf(await answer.text()).includes("require a second factor");
  expect([isRefused, (await state()) === before]).toEqual([status === 403, status === 403]);
});

test("a pipeline waits for a new name that the person may create", async () => {
  const { post, get, proofOn, policies, ada } = await openOwn();
  const add = async (fields: Fields) => {
    const sent = { ...GITHUB, protocol: "npm", ...fields };
    const answer = await post(NEW_PIPELINE, {
      ...sent,
      proof: await proofOn(NEW_PIPELINE, NEW_PIPELINE),
    });
    return [answer.status, wordsOf(await answer.text())];
  };
  const saying = (text: string) => expect.stringContaining(text);
  const belongs = (name: string) => [422, saying(`${name} belongs to other owners`)];
  expect(await add({ name: "foreign" })).toEqual(belongs("foreign"));
  expect(await add({ name: "secret" })).toEqual(belongs("secret"));
  expect(await add({ name: "@acme/app" })).toEqual([422, saying("exists already")]);
  expect(await add({ name: "published-only" })).toEqual([422, saying("with the level manage")]);
  expect(await add({ name: "@acme/*" })).toEqual([422, saying("is not a name of this protocol")]);
  expect(await add({ name: "x", protocol: "pypi" })).toEqual([422, saying("is not a protocol")]);
  expect(await add({ name: "x", for: "bob" })).toEqual([422, saying("not one of the choices")]);
  expect(await add({ name: "acme/new", protocol: "oci", for: "builders" })).toEqual([303, ""]);
  const added = (await policies.list()).at(-1);
  expect(added).toMatchObject({
    state: "pending",
    mayCreate: true,
    protocols: ["oci"],
    patterns: ["acme/new"],
    scopes: ["write"],
    ownerId: "id-of-builders",
    makerId: ada.id,
  });
  expect(wordsOf(await (await get(PAGE)).text())).toContain(
    "docker push registry.example/acme/new:1.0",
  );
});

test("asks an anonymous person to sign in", async () => {
  const { get } = await openOwn();
  for (const path of [PAGE, NEW_PIPELINE]) {
    expect((await get(path, { cookie: "none=1" })).status).toBe(401);
  }
});
