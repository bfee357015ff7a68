import { expect, test } from "vitest";
import { openSessionBrowser, OWN_FORM } from "../testing/session-browser.ts";
import { openExample, openSignedIn, SESSION } from "../testing/signed-in-example.ts";

const NEW_RULE = "/administration/rules/new";

test.each([
  ["an unknown token", { token: "shp_nothing" }, OWN_FORM, 422],
  ["an empty token", { token: " " }, OWN_FORM, 422],
  ["a form of another site", {}, { "sec-fetch-site": "cross-site" }, 403],
  ["a form of another port", {}, { "sec-fetch-site": "same-site" }, 403],
  ["a form without origin", {}, {}, 403],
  ["a form of the origin null", {}, { origin: "null" }, 403],
  ["a form with another origin", {}, { ...OWN_FORM, origin: "https://evil.example" }, 403],
  ["a form without code", { proof: "" }, OWN_FORM, 403],
] as const)("does not sign in with %s", async (_, fields, headers, status) => {
  const { post, proofOn, tokenOf, cookies } = openExample();
  const sent = { proof: await proofOn("/sign-in"), token: tokenOf("ada"), ...fields };
  expect((await post("/sign-in", sent, headers)).status).toBe(status);
  expect(cookies.has(SESSION)).toBe(false);
});

const FORMS = [
  ["/sign-out", "/account", {}],
  ["/account/sign-out-everywhere", "/account", {}],
  [NEW_RULE, NEW_RULE, { effect: "deny", protocol: "npm", pattern: "left-pad", reason: "Bad." }],
] as const;

test.each(FORMS)("only a page of the own session sends %s", async (path, page, fields) => {
  const browser = await openSignedIn();
  const { post, proofOn } = browser;
  const proof = await proofOn(page, page === path ? "" : path);
  const other = await proofOn("/account", path === "/sign-out" ? FORMS[1][0] : FORMS[0][0]);
  const session = browser.cookies.get(SESSION) ?? "";
  const foreign = { ...openSessionBrowser(browser) };
  await foreign.get(`/signin-microsoft?code=good&state=${await foreign.startAtProvider()}`);
  const foreignProof = await foreign.proofOn(page, page === path ? "" : path);
  expect(foreignProof).not.toBe("");
  const own = { ...fields, proof };
  const attacks = [
    [own, { "sec-fetch-site": "cross-site" }],
    [own, { "sec-fetch-site": "same-site", origin: "https://registry.example" }],
    [own, { "sec-fetch-site": "none" }],
    [own, {}],
    [own, { origin: "null" }],
    [own, { origin: "https://evil.example" }],
    [own, { origin: "http://registry.example" }],
    [fields, OWN_FORM],
    [{ ...fields, proof: other }, OWN_FORM],
    [{ ...fields, proof: foreignProof }, OWN_FORM],
  ] as const;
  for (const [sent, headers] of attacks) {
    expect((await post(path, sent, headers)).status, JSON.stringify(headers)).toBe(403);
    expect(browser.cookies.get(SESSION)).toBe(session);
  }
  const answer = await post(path, own, { origin: "https://registry.example" });
  expect(answer.status).toBe(303);
});

test("codes of a form differ on each page", async () => {
  const { proofOn } = await openSignedIn();
  const [one, other] = [await proofOn(NEW_RULE), await proofOn(NEW_RULE)];
  expect(one).not.toBe(other);
});

test("after a sign-out, pages of the session are gone", async () => {
  const { post, get, proofOn, cookies } = await openSignedIn();
  const secret = cookies.get(SESSION) ?? "";
  const proof = await proofOn("/account", "/sign-out");
  const answer = await post("/sign-out", { proof });
  expect(answer.headers.getSetCookie()).toEqual([
    "__Host-sealhouse=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
  ]);
  cookies.set(SESSION, secret);
  expect((await get("/account")).headers.get("location")).toBe("/sign-in?returnUrl=%2Faccount");
  expect((await get(NEW_RULE)).status).toBe(401);
});

test("signing out everywhere ends the sessions of other browsers", async () => {
  const browser = await openSignedIn();
  const other = openSessionBrowser(browser);
  await other.get(`/signin-microsoft?code=good&state=${await other.startAtProvider()}`);
  const path = "/account/sign-out-everywhere";
  await browser.post(path, { proof: await browser.proofOn("/account", path) });
  expect([(await other.get(NEW_RULE)).status, (await browser.get(NEW_RULE)).status]).toEqual([
    401, 401,
  ]);
});

test("pages ignore Basic credentials, and a token in a header hides the cookie", async () => {
  const { get, tokenOf, cookies } = await openSignedIn();
  const basic = `Basic ${Buffer.from(`me:${tokenOf("ada")}`).toString("base64")}`;
  const statuses = [
    (await get(NEW_RULE, { authorization: basic })).status,
    (await get(NEW_RULE, { authorization: `Bearer ${tokenOf("reader")}` })).status,
    (await get(NEW_RULE, { "x-nuget-apikey": tokenOf("reader") })).status,
    (await get(NEW_RULE, { authorization: "Negotiate abc" })).status,
  ];
  expect(statuses).toEqual([200, 401, 401, 401]);
  cookies.clear();
  const refused = await get(NEW_RULE, { authorization: basic });
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    'Bearer realm="Sealhouse"',
  ]);
});
