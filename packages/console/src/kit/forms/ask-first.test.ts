import { createTestToken, publishPolicy } from "@sealhouse/identity/testing";
import { createRule, createSource } from "@sealhouse/upstream-sources";
import { expect, test } from "vitest";
import { openAsBrowser } from "../../testing/administration-browser.ts";
import type { Fields } from "../../testing/administration-browser.ts";
import { openExampleNames } from "../../testing/example-names.ts";
import { wordsOf } from "../../testing/page-text.ts";
import { openPeople, openSignedInPeople } from "../../testing/people-browser.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const BY = { actor: "test" };

/** The fields that the form of a page sends. */
function hiddenIn(html: string): Fields {
  const fields = html.matchAll(/type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
}

type Asking = {
  readonly state: () => Promise<string>;
  readonly post: (path: string, fields: Fields) => Promise<Response>;
  /** The fields of the form that the page offers. */
  readonly fields: Fields;
};

/** Sends a form, and returns what the page asks; the answer to it changes the state. */
async function askedBy(action: string, { state, post, fields }: Asking): Promise<string> {
  const before = await state();
  const page = await post(action, { ...fields, sure: "" });
  const html = await page.text();
  expect([page.status, await state()], action).toEqual([200, before]);
  expect(html).toContain(`action="${action}"`);
  const done = await post(action, hiddenIn(html));
  expect([done.status < 400, (await state()) === before], action).toEqual([true, false]);
  return wordsOf(html);
}

async function openAdministration() {
  const url = "https://registry.npmjs.org";
  const npmjs = createSource({ name: "npmjs", protocol: "npm", url, from: "database" });
  const credentials = { type: "bearer", token: "secret" } as const;
  const example = await openAsBrowser({
    stored: [{ ...npmjs, credentials }],
    mirrored: (source) =>
      source === "npmjs" ? { names: 3, versions: 1 } : { names: 0, versions: 0 },
  });
  const made = createRule(
    {
      effect: "deny",
      protocol: "npm",
      pattern: "left-pad",
      versions: "<2",
      severity: "high",
      reason: "It calls home.",
    },
    { id: "00000000-0000-4000-8000-0000000000a1", createdBy: "eve", now: NOW },
  );
  if (made.status !== "created") throw new Error(made.words);
  await example.policies.add(made.rule, BY);
  await example.ports.origins.claim("npm", "chalk", "npmjs");
  await example.ports.origins.reserve("npm", "@acme/*", BY);
  const state = async () =>
    JSON.stringify([
      await example.ports.sources.list(),
      await example.policies.list(),
      await example.ports.origins.find("npm", "chalk"),
      await example.ports.origins.find("npm", "@acme/x"),
    ]);
  return { ...example, state };
}

test.each([
  [
    "/administration/package-sources/npmjs/remove",
    "/administration/package-sources/npmjs",
    {},
    /Remove the source npmjs\? .*: 3 names with 1 version\. They stay.*credentials are deleted/,
  ],
  [
    "/administration/rules/00000000-0000-4000-8000-0000000000a1/remove",
    "/administration/rules",
    {},
    /It denies the versions <2 of left-pad \(npm\), only with advisories from high\. Reason/,
  ],
  [
    "/administration/names/release",
    "/administration/names",
    { protocol: "npm", name: "chalk" },
    /Release chalk\? npmjs is no longer asked for it\. Fetched versions stay\./,
  ],
  [
    "/administration/names/release",
    "/administration/names",
    { protocol: "npm", name: "@acme/*" },
    /Release @acme\/\*\? The reservation ends\./,
  ],
] as const)("%s states what ends, and asks first", async (action, page, typed, words) => {
  const { state, post, hiddenOn } = await openAdministration();
  const fields = { ...(await hiddenOn(page, action)), ...typed };
  expect(await askedBy(action, { state, post, fields })).toMatch(words);
});

test("the page states that nothing was mirrored from a source", async () => {
  const { post, proofOn } = await openAsBrowser({
    stored: [
      createSource({ name: "s", protocol: "npm", url: "https://a.example", from: "database" }),
    ],
  });
  const action = "/administration/package-sources/s/remove";
  const proof = await proofOn("/administration/package-sources/s", action);
  const page = await post(action, { proof, sure: "" });
  expect(wordsOf(await page.text())).toContain("No name was mirrored from it.");
});

test.each([
  [
    "/administration/users/bob/block",
    "/administration/users/bob",
    { reason: "Left." },
    /Stop working now: 1 token and 0 sessions\. bob stays in 1 team\. bob owns \d+ names?\./,
  ],
  [
    "/administration/teams/web/members/bob/remove",
    "/administration/teams/web",
    {},
    /bob loses the rights of a manager on \d+ names?\. The team keeps 0 other members\./,
  ],
  [
    "/administration/accounts/deploy/block",
    "/administration/accounts/deploy",
    {},
    /Block the service account deploy\? Stop working now: 0 tokens\./,
  ],
] as const)("%s states what ends, and asks first", async (action, page, typed, words) => {
  const { registry, tokens, post, hiddenOn } = await openPeople();
  const bob = await registry.people.find("bob");
  const { record } = createTestToken({ name: "ci" });
  await tokens.insert({ ...record, owner: "bob", userId: bob?.id ?? "" }, BY);
  const team = await registry.teams.find("web");
  const state = async () =>
    JSON.stringify([
      await registry.people.list(),
      await registry.teams.members(team?.id ?? ""),
      await registry.serviceAccounts.list(),
    ]);
  const fields = { ...(await hiddenOn(page, action)), ...typed };
  expect(await askedBy(action, { state, post, fields })).toMatch(words);
});

test("ending the sessions of a user states their number, and asks first", async () => {
  const { post, proofOn, get } = await openSignedInPeople();
  const page = "/administration/users/ada";
  const proof = await proofOn(page, `${page}/end-sessions`);
  const asked = await post(`${page}/end-sessions`, { proof, sure: "" });
  expect(wordsOf(await asked.text())).toContain("End now: 1 session. Tokens stay valid.");
  expect((await get(page)).status).toBe(200);
});

test.each([
  ["remove-owner", { handle: "builders" }, /builders loses the right publish on @acme\/app/],
  ["withdraw", { offer: "offer-1" }, /builders can no longer accept it/],
  [
    "remove-pipeline",
    { pipeline: "p1" },
    /Jobs of .* can no longer publish @acme\/app\. .* Never used/,
  ],
] as const)(
  "the form %s of a name states what ends, and asks first",
  async (task, typed, words) => {
    const example = await openExampleNames();
    const { ownerships, transfers, policies, post, proofOn, confirm, ports } = example;
    const name = { protocol: "npm", name: "@acme/app" } as const;
    await policies.add(
      publishPolicy({ id: "p1", protocols: ["npm"], patterns: ["@acme/app"] }),
      BY,
    );
    const expiresAt = new Date(ports.rules.now().getTime() + 1_000_000);
    const offer = { id: "offer-1", name, toId: "id-of-builders", level: "manage" } as const;
    await transfers.offer({ ...offer, expiresAt }, BY);
    await ownerships.grant(name, { id: "id-of-builders", kind: "team", level: "publish" }, BY);
    const state = async () =>
      JSON.stringify([await ownerships.list(name), await transfers.list(), await policies.list()]);
    const page = "/manage/npm/@acme/app";
    const action = `${page}/-/${task}`;
    confirm();
    const fields = { ...typed, proof: await proofOn(page, action) };
    expect(await askedBy(action, { state, post, fields })).toMatch(words);
  },
);
