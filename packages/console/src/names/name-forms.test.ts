import { OWNERS_OF_NAME_MAX, POLICIES_OF_NAME_MAX } from "@sealhouse/identity";
import { createTestToken, publishPolicy } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { openExampleNames } from "../testing/example-names.ts";
import { wordsOf } from "../testing/page-text.ts";
import { NAME_TASKS } from "./names-app.ts";
import { OWN_FORM } from "../testing/session-browser.ts";

type Fields = Readonly<Record<string, string>>;

const APP = { protocol: "npm", name: "@acme/app" } as const;
const PAGE = "/manage/npm/@acme/app";
const HOUR_MS = 3_600_000;

/** Every form of a name, with texts that change something. */
const FORMS = [
  ["add-owner", { handle: "bob", level: "publish" }],
  ["remove-owner", { handle: "builders" }],
  ["visibility", { visibility: "private" }],
  ["offer", { to: "bob", offeredLevel: "manage", from: "ada", expires: "7d" }],
  ["withdraw", { offer: "offer-1" }],
  ["new-pipeline", { provider: "github", repo: "acme/app", file: "p.yml", life: "15", for: "ada" }],
  ["remove-pipeline", { pipeline: "p1" }],
] as const satisfies readonly (readonly [string, Fields])[];

const EXAMPLE_PIPELINE = publishPolicy({ id: "p1", protocols: ["npm"], patterns: ["@acme/app"] });

/** The page with the form of a task. */
const pageOf = (task: string) => (task === "new-pipeline" ? `${PAGE}/-/new-pipeline` : PAGE);

async function openForms(options: Parameters<typeof openExampleNames>[0] = {}) {
  const example = await openExampleNames(options);
  const { ownerships, transfers, policies, hidden } = example;
  await policies.add(EXAMPLE_PIPELINE, { actor: "test" });
  const expiresAt = new Date(example.ports.rules.now().getTime() + 100 * HOUR_MS);
  const offer = { id: "offer-1", name: APP, toId: "id-of-builders", level: "manage" } as const;
  await transfers.offer({ ...offer, expiresAt }, { actor: "test" });
  const builders = { id: "id-of-builders", kind: "team", level: "publish" } as const;
  await ownerships.grant(APP, builders, { actor: "test" });
  const state = async () =>
    JSON.stringify([
      await ownerships.list(APP),
      await transfers.list(),
      await policies.list(),
      [...hidden],
    ]);
  return { ...example, state };
}

test.each(FORMS)(
  "only those who manage a name change it with the form %s",
  async (task, fields) => {
    const example = await openForms();
    const { post, get, proofOn, state, cookies, ports, tokens, tokenOf } = example;
    const path = `${PAGE}/-/${task}`;
    const proof = await proofOn(pageOf(task), path);
    expect(proof).not.toBe("");
    const other = await proofOn(
      PAGE,
      `${PAGE}/-/${task === "visibility" ? "add-owner" : "visibility"}`,
    );
    const narrow = createTestToken(
      { name: "narrow", scopes: ["read", "write"], patterns: ["@acme/*"] },
      ports.rules.now(),
    );
    await tokens.insert(narrow.record, { actor: "test" });
    const before = await state();
    const sent = { ...fields, proof };
    const at = (name: string) => `/manage/npm/${name}/-/${task}`;
    const bearer = (token: string) => ({ ...OWN_FORM, authorization: `Bearer ${token}` });
    const attacks = [
      [403, path, sent, { "sec-fetch-site": "cross-site" }],
      [403, path, sent, { ...OWN_FORM, origin: "https://evil.example" }],
      [403, path, fields, OWN_FORM],
      [403, path, { ...fields, proof: `${proof}x` }, OWN_FORM],
      [403, path, { ...fields, proof: other }, OWN_FORM],
      [400, path, sent, { ...OWN_FORM, "content-type": "text/plain" }],
      [400, path, { ...sent, more: "x".repeat(40_000) }, OWN_FORM],
      [403, at("foreign"), sent, OWN_FORM],
      [403, at("published-only"), sent, OWN_FORM],
      [404, at("secret"), sent, OWN_FORM],
      [404, at("unknown"), sent, OWN_FORM],
      [404, `${PAGE}/-/unknown`, sent, OWN_FORM],
      [401, path, sent, bearer(narrow.token)],
      [403, path, sent, bearer(tokenOf("reader"))],
      [401, path, sent, { ...OWN_FORM, cookie: "none=1" }],
    ] as const;
    for (const [status, target, values, headers] of attacks) {
      expect([target, headers, (await post(target, values, headers)).status]).toEqual([
        target,
        headers,
        status,
      ]);
    }
    await get(`${path}?${new URLSearchParams(sent).toString()}`);
    expect(await state()).toBe(before);
    expect((await post(path, sent)).status).toBe(303);
    expect(await state()).not.toBe(before);
    expect(cookies.size).toBeGreaterThan(0);
  },
);

test.each(FORMS)(
  "a session confirms the form %s, and an expired one changes nothing",
  async (...form) => {
    const [task, fields] = form;
    const { post, get, proofOn, advance, state, tokenOf, confirm } = await openForms();
    confirm(false);
    const path = `${PAGE}/-/${task}`;
    const authorization = `Bearer ${tokenOf("reader")}`;
    const proof = await proofOn(pageOf(task), path);
    const ofToken = proofIn(await (await get(pageOf(task), { authorization })).text(), path);
    const before = await state();
    const led = await post(path, { ...fields, proof });
    const asked = led.headers.get("location") ?? "";
    expect([led.status, asked]).toEqual([303, expect.stringMatching(/^\/account\/confirm\//)]);
    expect(wordsOf(await (await get(asked)).text())).toMatch(/ npm [@\w/-]+ Your form is kept/);
    advance(HOUR_MS);
    const late = await post(path, { ...fields, proof: ofToken }, { ...OWN_FORM, authorization });
    expect([late.status, late.headers.get("location") ?? (await late.text())]).toEqual([
      expect.any(Number),
      expect.stringMatching(/notice=expired$|was open for more than an hour/),
    ]);
    expect(await state()).toBe(before);
  },
);

function proofIn(html: string, action: string): string {
  const form = html.split(`action="${action}"`)[1] ?? "";
  return /name="proof"\s+value="([^"]*)"/.exec(form)?.[1] ?? "";
}

test("the attacks above cover every form", () => {
  expect(FORMS.map(([task]) => task).toSorted()).toEqual(Object.keys(NAME_TASKS).toSorted());
});

test("a hidden name has the page of an unknown one, and a stranger gets no page", async () => {
  const { get } = await openForms();
  const shown = async (name: string) => {
    const answer = await get(`/manage/npm/${name}`);
    return [answer.status, (await answer.text()).replaceAll(name, "NAME")];
  };
  expect(await shown("secret")).toEqual(await shown("absent"));
  expect((await shown("secret"))[0]).toBe(404);
  expect((await shown("foreign"))[0]).toBe(403);
  expect((await get("/manage/npm/secret", { cookie: "none=1" })).status).toBe(401);
  expect((await get("/manage/npm/absent", { cookie: "none=1" })).status).toBe(401);
});

test("an administrator manages names of all owners, also hidden ones", async () => {
  const { get } = await openExampleNames({ role: "administrator" });
  for (const name of ["foreign", "secret"]) {
    const words = wordsOf(await (await get(`/manage/npm/${name}`)).text());
    expect(words).toContain("bob user Level of bob");
  }
  expect((await get("/manage/npm/absent")).status).toBe(404);
});

test.each([
  ["nuget/Acme.Core", "Acme.Core NuGet package"],
  ["oci/team/app", "team/app Image repository"],
])("%s has a page", async (path, words) => {
  const { get } = await openForms();
  const page = await get(`/manage/${path}`);
  expect([page.status, wordsOf(await page.text())]).toEqual([
    200,
    expect.stringContaining(`Manage ${words}`),
  ]);
});

test("changes levels, keeps the last manager, and names what is wrong", async () => {
  const { post, proofOn, ownerships } = await openForms();
  const send = async (task: string, fields: Fields) => {
    const path = `${PAGE}/-/${task}`;
    const answer = await post(path, { ...fields, proof: await proofOn(PAGE, path) });
    return [answer.status, wordsOf(await answer.text())];
  };
  const saying = (text: string) => expect.stringContaining(text);
  expect(await send("add-owner", { handle: "Builders", level: "read" })).toEqual([303, ""]);
  expect(await send("add-owner", { handle: "ada", level: "read" })).toEqual([
    422,
    saying("without an owner with the level manage: add another one"),
  ]);
  expect(await send("remove-owner", { handle: "ada" })).toEqual([422, saying("add another one")]);
  expect(await send("add-owner", { handle: "carl", level: "read" })).toEqual([
    422,
    saying('must be the handle of a user or team, and "carl" is none'),
  ]);
  expect(await send("add-owner", { handle: "bob", level: "all" })).toEqual([
    422,
    saying("is not one of read, publish, manage"),
  ]);
  expect(await send("visibility", { visibility: "secret" })).toEqual([
    422,
    saying("is not one of private, internal, public"),
  ]);
  for (const expires of ["31d", "never"]) {
    expect(await send("offer", { to: "bob", offeredLevel: "read", expires })).toEqual([
      422,
      saying("must be within 30 days, such as 14d"),
    ]);
  }
  expect((await ownerships.list(APP)).map(({ handle, level }) => [handle, level])).toEqual([
    ["ada", "manage"],
    ["builders", "read"],
  ]);
  expect(await send("add-owner", { handle: "bob", level: "manage" })).toEqual([303, ""]);
  const path = `${PAGE}/-/remove-owner`;
  const gone = await post(path, { handle: "ada", proof: await proofOn(PAGE, path) });
  expect(gone.headers.get("location")).toBe("/npm-packages/@acme/app");
});

test("adds pipelines with the fields of the command, and shows the lines of each", async () => {
  const { post, get, proofOn, policies } = await openForms();
  const path = `${PAGE}/-/new-pipeline`;
  const add = async (fields: Fields) => {
    const from = `${path}?provider=${fields["provider"] ?? ""}`;
    const answer = await post(path, { life: "15", ...fields, proof: await proofOn(from, path) });
    return [answer.status, wordsOf(await answer.text())];
  };
  const saying = (text: string) => expect.stringContaining(text);
  const github = { provider: "github", repo: "acme/app", file: "publish.yml", for: "ada" };
  const account = { provider: "kubernetes", claim: "sub=system:serviceaccount:ci:x", for: "ada" };
  expect(await add({ ...github, environment: "release", "event-workflow_run": "true" })).toEqual([
    303,
    "",
  ]);
  expect(await add({ ...github, file: "" })).toEqual([
    422,
    saying("claim workflow_ref is missing"),
  ]);
  expect(await add({ ...github, life: "90" })).toEqual([422, saying("must be 1 to 60 minutes")]);
  expect(await add({ ...github, claim: "sub" })).toEqual([422, saying("has no name and value")]);
  expect(await add({ ...github, for: "bob" })).toEqual([422, saying("not one of the choices")]);
  expect(await add(account)).toEqual([422, saying("is required for kubernetes")]);
  const issuer = "https://kubernetes.default.svc.cluster.local";
  expect(await add({ ...account, issuer })).toEqual([303, ""]);
  expect(await add({ ...account, issuer: "https://evil.example" })).toEqual([
    422,
    saying("is not trusted by the registry"),
  ]);
  const [, added] = (await policies.list()).toSorted((a) => (a.id === "p1" ? -1 : 1));
  expect(added).toMatchObject({
    patterns: ["@acme/app"],
    protocols: ["npm"],
    scopes: ["publish"],
    mayCreate: false,
    ownerId: expect.any(String),
    makerId: expect.any(String),
  });
  const words = wordsOf(await (await get(PAGE)).text());
  for (const text of [
    "GitHub Actions",
    "Kubernetes",
    'registry-url: "https://registry.example/npm/"',
  ]) {
    expect(words).toContain(text);
  }
});

test.each([
  ["manager", 303],
  ["member", 422],
] as const)("a %s adds a pipeline of the team: %i", async (teamLevel, status) => {
  const { post, proofOn, ownerships } = await openForms({ teamLevel });
  const builders = { id: "id-of-builders", kind: "team", level: "manage" } as const;
  await ownerships.grant(APP, builders, { actor: "test" });
  const path = `${PAGE}/-/new-pipeline`;
  const fields = { provider: "github", repo: "acme/app", file: "p.yml", life: "15" };
  const proof = await proofOn(path, path);
  expect((await post(path, { ...fields, for: "builders", proof })).status).toBe(status);
});

test("refuses another pipeline of a name that has as many as it may have", async () => {
  const { post, proofOn, policies } = await openForms();
  const one = { protocols: ["npm"], patterns: ["@acme/app"] } as const;
  for (let count = 1; count < POLICIES_OF_NAME_MAX; count += 1) {
    await policies.add(publishPolicy(one), { actor: "test" });
  }
  const path = `${PAGE}/-/new-pipeline`;
  const fields = { provider: "github", repo: "acme/app", file: "p.yml", life: "15", for: "ada" };
  const answer = await post(path, { ...fields, proof: await proofOn(path, path) });
  expect([answer.status, wordsOf(await answer.text())]).toEqual([
    422,
    expect.stringContaining('@acme/app" has 20 pipelines, the most for one name'),
  ]);
  expect(await policies.list()).toHaveLength(POLICIES_OF_NAME_MAX);
});

test("refuses another owner of a name that has as many as it may have", async () => {
  const { post, proofOn, ownerships } = await openForms();
  const present = await ownerships.list(APP);
  for (let count = present.length; count < OWNERS_OF_NAME_MAX; count += 1) {
    await ownerships.grant(APP, { id: `u${count}`, kind: "user", level: "read" }, { actor: "t" });
  }
  const path = `${PAGE}/-/add-owner`;
  const proof = await proofOn(PAGE, path);
  const answer = await post(path, { handle: "bob", level: "publish", proof });
  expect([answer.status, wordsOf(await answer.text())]).toEqual([
    422,
    expect.stringContaining("would be more than 100 owners: remove some, or add a team"),
  ]);
  expect(await ownerships.list(APP)).toHaveLength(OWNERS_OF_NAME_MAX);
});

test("shows pipelines of several names without the others, and removes none", async () => {
  const { post, get, proofOn, policies } = await openForms();
  const wide = publishPolicy({ id: "p2", patterns: ["@acme/*", "@acme/hidden"] });
  await policies.add(wide, { actor: "test" });
  const words = wordsOf(await (await get(PAGE)).text());
  expect(words).toContain("Names @acme/* and 1 more");
  expect(words).not.toContain("@acme/hidden");
  const path = `${PAGE}/-/remove-pipeline`;
  const answer = await post(path, { pipeline: "p2", proof: await proofOn(PAGE, path) });
  expect(answer.headers.get("location")).toContain("notice=absent");
  expect((await policies.list()).map(({ id }) => id)).toContain("p2");
});
