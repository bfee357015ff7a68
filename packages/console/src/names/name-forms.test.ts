import { createTestToken } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { openExampleNames } from "../testing/example-names.ts";
import { wordsOf } from "../testing/page-text.ts";
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
] as const satisfies readonly (readonly [string, Fields])[];

async function openForms() {
  const example = await openExampleNames();
  const { ownerships, transfers, policies, hidden } = example;
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
    const proof = await proofOn(PAGE, path);
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
    const { post, get, proofOn, advance, state, tokenOf } = await openForms();
    const path = `${PAGE}/-/${task}`;
    const authorization = `Bearer ${tokenOf("reader")}`;
    const proof = await proofOn(PAGE, path);
    const ofToken = proofIn(await (await get(PAGE, { authorization })).text(), path);
    const before = await state();
    advance(HOUR_MS);
    const led = await post(path, { ...fields, proof });
    expect([led.status, led.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/account\/confirm\?action=[a-z-]+&returnUrl=%2Fmanage%2Fnpm%2F/),
    ]);
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

test("a hidden name has the page of an unknown one, and a stranger gets no page", async () => {
  const { get } = await openForms();
  const pageOf = async (name: string) => {
    const answer = await get(`/manage/npm/${name}`);
    return [answer.status, (await answer.text()).replaceAll(name, "NAME")];
  };
  expect(await pageOf("secret")).toEqual(await pageOf("absent"));
  expect((await pageOf("secret"))[0]).toBe(404);
  expect((await pageOf("foreign"))[0]).toBe(403);
  expect((await get("/manage/npm/secret", { cookie: "none=1" })).status).toBe(401);
  expect((await get("/manage/npm/absent", { cookie: "none=1" })).status).toBe(401);
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
  expect((await ownerships.list(APP)).map(({ handle, level }) => [handle, level])).toEqual([
    ["ada", "manage"],
    ["builders", "read"],
  ]);
  expect(await send("add-owner", { handle: "bob", level: "manage" })).toEqual([303, ""]);
  const path = `${PAGE}/-/remove-owner`;
  const gone = await post(path, { handle: "ada", proof: await proofOn(PAGE, path) });
  expect(gone.headers.get("location")).toBe("/npm-packages/@acme/app");
});
