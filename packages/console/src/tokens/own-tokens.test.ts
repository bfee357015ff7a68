import { createTestToken } from "@sealhouse/identity/testing";
import type { TokenRecord } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { openSignedInPeople } from "../testing/people-browser.ts";
import type { Fields } from "../testing/administration-browser.ts";
import { openSessionBrowser, OWN_FORM } from "../testing/session-browser.ts";
import { openExample } from "../testing/signed-in-example.ts";
import { wordsOf } from "../testing/page-text.ts";

const HOUR_MS = 3_600_000;
const TOKENS = "/account/tokens";
const NEW_TOKEN = "/account/new-token";
const BY = { actor: "test" };
const NEW: Fields = { name: "laptop", "scope-read": "true", expires: "90d" };

/** Ada's browser, with tokens of Ada, and one of an operator who uses the same name. */
async function openWithTokens() {
  const browser = await openSignedInPeople();
  browser.confirm();
  const { registry, tokens, users } = browser;
  const ada = await registry.people.find("ada");
  if (!ada) throw new Error("Ada has not signed in");
  const add = async (fields: Partial<TokenRecord>) => {
    const made = {
      name: fields.name ?? "ci",
      scopes: ["read", "write"],
      patterns: ["Acme.*"],
    } as const;
    const { record } = createTestToken(made);
    const token = { ...record, owner: "ada", userId: ada.id, ...fields };
    await tokens.insert(token, BY);
    return token;
  };
  const ci = await add({ lastUsedFrom: "192.0.2.7", lastUsedAt: new Date("2026-03-01T11:00:00Z") });
  const child = await add({ name: "child <of> ci", parentId: ci.id });
  const { userId: _, ...foreign } = { ...ci, id: "foreign", name: "of operators" };
  await tokens.insert(foreign, BY);
  const setRole = (role: "consumer" | "administrator") => users.set(ada.id, { ...ada, role });
  const state = async () => JSON.stringify(await tokens.list());
  return { ...browser, add, ci, child, setRole, state };
}

const POSTS = [
  [NEW_TOKEN, NEW_TOKEN, NEW],
  [`${TOKENS}/ci/replace`, `${TOKENS}/ci`, { expires: "30d" }],
  [`${TOKENS}/ci/revoke`, `${TOKENS}/ci`, {}],
] as const satisfies readonly (readonly [string, string, Fields])[];

test.each(POSTS)("only a page of the own session sends %s", async (form, ofPage, fields) => {
  const browser = await openWithTokens();
  const { post, proofOn, ci, state, advance } = browser;
  const [path, page] = [form, ofPage].map((one) => one.replace("/ci", `/${ci.id}`));
  if (path === undefined || page === undefined) throw new Error("no path");
  const proof = await proofOn(page, path);
  const other = await proofOn("/account", "/sign-out");
  const stranger = openSessionBrowser(browser);
  await stranger.get(`/signin-microsoft?code=good&state=${await stranger.startAtProvider()}`);
  const foreign = await stranger.proofOn(page, path);
  expect([proof, other, foreign]).not.toContain("");
  const own = { ...fields, proof };
  const before = await state();
  const attacks = [
    [own, { "sec-fetch-site": "cross-site" }],
    [own, { "sec-fetch-site": "same-site", origin: "http://localhost:8080" }],
    [own, {}],
    [own, { origin: "null" }],
    [own, { origin: "http://localhost:9090" }],
    [fields, OWN_FORM],
    [{ ...fields, proof: other }, OWN_FORM],
    [{ ...fields, proof: foreign }, OWN_FORM],
  ] as const;
  for (const [sent, headers] of attacks) {
    expect((await post(path, sent, headers)).status, JSON.stringify(headers)).toBe(403);
  }
  advance(HOUR_MS);
  const expired = await post(path, own);
  expect(wordsOf(await expired.text())).toContain("was open for more than an hour");
  expect(await state()).toBe(before);
  const late = { ...fields, proof: await proofOn(page, path) };
  expect([200, 303]).toContain((await post(path, late)).status);
  expect(await state()).not.toBe(before);
});

test("creates a token with limits, and shows it once", async () => {
  const { post, get, proofOn, tokens, registry, confirm } = await openSignedInPeople();
  confirm();
  const proof = await proofOn(NEW_TOKEN, NEW_TOKEN);
  const fields = {
    ...NEW,
    "scope-publish": "true",
    "protocol-npm": "true",
    patterns: "@acme/*\r\nleft-pad",
    networks: "10.0.0.0/8",
  };
  const answer = await post(NEW_TOKEN, { ...fields, proof });
  const page = await answer.text();
  const [value = ""] = /shp_\w+/.exec(page) ?? [];
  expect([answer.status, value]).toEqual([200, expect.stringMatching(/^shp_\w{49}$/)]);
  expect(answer.headers.get("cache-control")).toContain("no-store");
  const [made] = (await tokens.listNamed("ada")).slice(-1);
  const ada = await registry.people.find("ada");
  expect(made).toMatchObject({
    name: "laptop",
    owner: "ada",
    userId: ada?.id,
    scopes: ["read", "publish"],
    protocols: ["npm"],
    patterns: ["@acme/*", "left-pad"],
    networks: ["10.0.0.0/8"],
    expiresAt: new Date("2026-05-30T12:00:00Z"),
  });
  for (const path of [TOKENS, `${TOKENS}/${made?.id}`]) {
    const shown = await (await get(path)).text();
    expect(wordsOf(shown)).toContain("names @acme/*, left-pad; networks 10.0.0.0/8");
    expect(shown).not.toContain(value.slice(0, 12));
  }
});

test.each([
  ["administrator", { name: " " }, '"Name" cannot be used: A token requires a name'],
  ["administrator", { "scope-read": "" }, '"Scopes" cannot be used: A token requires at least one'],
  ["administrator", { expires: "soon" }, 'Expires: "soon" is not a time'],
  ["administrator", { expires: "2020-01-01" }, "The expiry of the token is not in the future"],
  ["administrator", { patterns: "a b$" }, 'Names: "b$" is not a name pattern'],
  ["administrator", { networks: "10.1" }, 'Networks: "10.1" is not a network'],
  ["consumer", { "scope-publish": "true" }, "Your role consumer does not include publish."],
] as const)("as %s, the form of a new token refuses %j", async (role, fields, problem) => {
  const { post, proofOn, setRole, state } = await openWithTokens();
  const before = await state();
  setRole(role);
  const proof = await proofOn(NEW_TOKEN, NEW_TOKEN);
  const answer = await post(NEW_TOKEN, { ...NEW, name: "typed", ...fields, proof });
  const page = await answer.text();
  expect([answer.status, wordsOf(page)]).toEqual([422, expect.stringContaining(problem)]);
  expect(page).toContain(`value="${"expires" in fields ? fields.expires : "90d"}"`);
  expect(await state()).toBe(before);
});

const LIMITS = { patterns: "**", networks: "0.0.0.0/0\r\n::/0" };
const NARROW = { patterns: "Acme.*", networks: "10.0.0.0/8" };

test.each([
  ["admin", {}, "None"],
  ["delete", NARROW, "names Acme.*; networks 10.0.0.0/8"],
  ["read,write", { "protocol-npm": "true" }, "protocols npm"],
  ["read,write", NARROW, "names Acme.*; networks 10.0.0.0/8"],
  ["read,write", LIMITS, "None"],
  ["read,publish", { expires: "never" }, "None"],
  ["stage", { expires: "1d" }, "None"],
  ["read", { expires: "never" }, "None"],
  ["read", { expires: "8d" }, "None"],
])("a session confirms a token with %s and %j", async (scopes, fields, limits) => {
  const { get, post, proofOn, confirm, confirmed, tokens, add } = await openWithTokens();
  confirm(false);
  const ticked = Object.fromEntries(scopes.split(",").map((scope) => [`scope-${scope}`, "true"]));
  const none = { "scope-read": "", expires: "1d" };
  const create = async () => {
    const proof = await proofOn(NEW_TOKEN, NEW_TOKEN);
    return post(NEW_TOKEN, { ...NEW, ...none, ...ticked, ...fields, proof });
  };
  const before = (await tokens.list()).length;
  const asked = await create();
  const page = await (await get(asked.headers.get("location") ?? "")).text();
  expect(wordsOf(page)).toContain(`laptop with ${scopes.replace(",", ", ")}; limits: ${limits};`);
  expect((await tokens.list()).length).toBe(before);
  expect((await confirmed(asked)).status).toBe(200);
  expect((await create()).status).toBe(303);
  expect((await tokens.list()).length).toBe(before + 1);
  const old = await add({ name: "old", scopes: (await tokens.list())[before]?.scopes ?? [] });
  const path = `${TOKENS}/${old.id}/replace`;
  const expires = "expires" in fields ? fields.expires : "1d";
  const proof = await proofOn(`${TOKENS}/${old.id}`, path);
  expect((await post(path, { expires, proof })).status).toBe(303);
});

test("a session confirms no token that only reads and ends with it", async () => {
  const { post, get, proofOn, confirm } = await openWithTokens();
  confirm(false);
  const proof = await proofOn(NEW_TOKEN, NEW_TOKEN);
  expect((await post(NEW_TOKEN, { ...NEW, expires: "6d", proof })).status).toBe(200);
  const page = await (await get(NEW_TOKEN)).text();
  const offered = [...page.matchAll(/name="scope-(\w+)"/g)].map(([, one]) => one);
  expect(offered).toEqual(["read", "stage", "publish", "write", "delete", "admin"]);
});

test("a form with a mistake is refused before the confirmation", async () => {
  const { post, proofOn, confirm } = await openWithTokens();
  confirm(false);
  const proof = await proofOn(NEW_TOKEN, NEW_TOKEN);
  const fields = { ...NEW, name: "", "scope-write": "true" };
  expect((await post(NEW_TOKEN, { ...fields, proof })).status).toBe(422);
});

test("a user with 100 valid tokens creates and replaces none", async () => {
  const { post, proofOn, add, ci, tokens } = await openWithTokens();
  const ended = await add({ name: "ended" });
  await tokens.revoke(ended.id, new Date(), BY);
  const creation = [NEW_TOKEN, NEW_TOKEN, NEW] as const;
  const send = async ([page, path, fields]: readonly [string, string, Fields]) => {
    const answer = await post(path, { ...fields, proof: await proofOn(page, path) });
    return [answer.status, wordsOf(await answer.text())];
  };
  // Besides the child of `ci`, which does not count.
  for (let count = 1; count < 99; count++) await add({ name: `t${count}` });
  const replacement = [
    `${TOKENS}/${ci.id}`,
    `${TOKENS}/${ci.id}/replace`,
    { expires: "1d" },
  ] as const;
  expect(await send(creation)).toEqual([200, expect.stringContaining("Copy the token now")]);
  const problem = '"Token" cannot be created: You have 100 valid tokens, the maximum.';
  for (const form of [creation, replacement]) {
    expect(await send(form)).toEqual([422, expect.stringContaining(problem)]);
  }
  await tokens.revoke(ci.id, new Date(), BY);
  expect((await send(creation))[0]).toBe(200);
});

test("replaces a token, and revokes it with what was made from it", async () => {
  const { post, get, proofOn, ci, child, tokens } = await openWithTokens();
  const page = `${TOKENS}/${ci.id}`;
  const act = async (action: string, fields: Fields = {}) => {
    const proof = await proofOn(page, `${page}/${action}`);
    return post(`${page}/${action}`, { ...fields, proof });
  };
  const words = wordsOf(await (await get(page)).text());
  expect(words).toMatch(/Last used 1 hour ago from 192\.0\.2\.7/);
  expect(words).toMatch(/end with it: .* child <of> ci Active/);
  expect((await act("replace", { expires: "soon" })).status).toBe(422);
  const replaced = await act("replace", { expires: "30d" });
  expect(await replaced.text()).toMatch(/shp_\w{49}/);
  const [newest] = (await tokens.list()).slice(-1);
  expect(newest).toMatchObject({ name: "ci", scopes: ["read", "write"], replaces: ci.id });
  expect((await tokens.findById(child.id))?.parentId).toBe(newest?.id);
  const revoked = await act("revoke");
  expect(revoked.headers.get("location")).toBe(`${TOKENS}?notice=revoked`);
  expect((await tokens.findById(ci.id))?.revokedAt).toBeDefined();
  expect((await tokens.findById(newest?.id ?? ""))?.revokedAt).toBeUndefined();
});

test("a reported token is shown as such, and is not replaced", async () => {
  const { get, post, proofOn, ci, tokens, state } = await openWithTokens();
  const path = `${TOKENS}/${ci.id}/replace`;
  const proof = await proofOn(`${TOKENS}/${ci.id}`, path);
  await tokens.reportLeak(ci.id, { at: new Date(0) }, BY);
  const before = await state();
  expect(wordsOf(await (await get(`${TOKENS}/${ci.id}`)).text())).toContain("Reported as leaked");
  const answer = await post(path, { proof, expires: "30d" });
  expect(wordsOf(await answer.text())).toContain(
    "was reported as leaked, so it cannot be replaced",
  );
  expect(await state()).toBe(before);
});

test("pages of own tokens are for users, who see only their own", async () => {
  const { get, post, proofOn, ci, state } = await openWithTokens();
  const foreign = `${TOKENS}/foreign`;
  expect(wordsOf(await (await get(TOKENS)).text())).not.toContain("of operators");
  expect((await get(foreign)).status).toBe(404);
  const before = await state();
  const proof = await proofOn(`${TOKENS}/${ci.id}`, `${TOKENS}/${ci.id}/revoke`);
  expect((await post(`${foreign}/revoke`, { proof })).status).toBe(403);
  expect(await state()).toBe(before);
  const stranger = openExample();
  const location = (await stranger.get(TOKENS)).headers.get("location");
  expect(location).toBe("/sign-in?returnUrl=%2Faccount%2Ftokens");
  await stranger.signInWith(stranger.tokenOf("ada"));
  expect((await stranger.get(TOKENS)).status).toBe(403);
});

test("a revocation states the last use and the tokens that it ends, and asks first", async () => {
  const { ci, post, get, proofOn, state } = await openWithTokens();
  const action = `${TOKENS}/${ci.id}/revoke`;
  const proof = await proofOn(`${TOKENS}/${ci.id}`, action);
  const before = await state();
  const asked = await post(action, { proof, sure: "" });
  const html = await asked.text();
  expect([asked.status, await state()]).toEqual([200, before]);
  expect(wordsOf(html)).toMatch(
    /Revoke the token ci\? .*Made with it, and revoked too: 1 token\. Last used \d+ \w+ ago\./,
  );
  const again = /name="proof"\s+value="([^"]*)"/.exec(html)?.[1] ?? "";
  const done = await post(action, { proof: again });
  expect(done.headers.get("location")).toBe(`${TOKENS}?notice=revoked`);
  expect(wordsOf(await (await get(TOKENS)).text())).toContain("0 tokens");
});
