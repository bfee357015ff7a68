import { newPerson } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { OWN_FORM } from "../testing/session-browser.ts";
import { openExample, openSignedIn, SESSION } from "../testing/signed-in-example.ts";

const NEW_RULE = "/administration/rules/new";

test("a sign-in at the provider ends at a clean path with the cookie of a session", async () => {
  const { get, startAtProvider, cookies } = openExample();
  const state = await startAtProvider("/administration/rules?notice=added");
  const answer = await get(`/signin-microsoft?code=good&state=${state}`);
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toBe("/administration/rules?notice=added");
  const [session = ""] = answer.headers.getSetCookie();
  expect(session).toMatch(/^__Host-sealhouse=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  expect([...cookies.keys()]).toEqual([SESSION]);
  const page = await get("/administration/rules");
  expect(page.status).toBe(200);
  expect(page.headers.get("cache-control")).toBe("private, no-store");
  expect(await page.text()).toContain("Ada Lovelace");
});

type Browser = ReturnType<typeof openExample>;
const ATTACKS: readonly (readonly [
  string,
  (browser: Browser, state: string) => unknown,
  string,
])[] = [
  ["without a state", () => undefined, "/signin-microsoft?code=good"],
  ["with a wrong state", () => undefined, `/signin-microsoft?code=good&state=${"A".repeat(43)}`],
  ["with a state that is no state", () => undefined, "/signin-microsoft?code=good&state=%00"],
  [
    "of another browser",
    ({ cookies }) => cookies.clear(),
    "/signin-microsoft?code=good&state=STATE",
  ],
  [
    "with the state of one sign-in and the cookie of another one",
    async ({ cookies, startAtProvider }) => {
      const own = [...cookies.keys()][0] ?? "";
      cookies.clear();
      await startAtProvider();
      const other = [...cookies.values()][0] ?? "";
      cookies.clear();
      cookies.set(own, other);
    },
    "/signin-microsoft?code=good&state=STATE",
  ],
  [
    "after ten minutes",
    ({ advance }) => advance(600_000),
    "/signin-microsoft?code=good&state=STATE",
  ],
];

test.each(ATTACKS)("refuses a callback %s", async (_, attack, path) => {
  const browser = openExample();
  const state = await browser.startAtProvider();
  await attack(browser, state);
  const answer = await browser.get(path.replace("STATE", state));
  expect(answer.status).toBe(400);
  expect(browser.cookies.has(SESSION)).toBe(false);
  expect(await browser.people.list()).toEqual([]);
});

test("a state signs in once, and the browser that has the session returns to it", async () => {
  const browser = openExample();
  const state = await browser.startAtProvider();
  const kept = new Map(browser.cookies);
  const path = `/signin-microsoft?code=good&state=${state}`;
  expect((await browser.get(path)).status).toBe(303);
  const session = browser.cookies.get(SESSION);
  const again = await browser.get(path);
  expect([again.status, again.headers.get("location")]).toEqual([303, "/"]);
  expect(browser.cookies.get(SESSION)).toBe(session);
  browser.cookies.clear();
  for (const [name, value] of kept) browser.cookies.set(name, value);
  expect((await browser.get(path)).status).toBe(400);
});

test("two tabs sign in one after the other", async () => {
  const { startAtProvider, get, cookies } = openExample();
  const [one, other] = [await startAtProvider("/a"), await startAtProvider("/b")];
  const locations = [];
  for (const state of [other, one]) {
    const answer = await get(`/signin-microsoft?code=good&state=${state}`);
    locations.push(answer.headers.get("location"));
  }
  expect(locations).toEqual(["/b", "/a"]);
  expect((await get("/account")).status).toBe(200);
  expect([...cookies.keys()]).toEqual([SESSION]);
});

test("a browser keeps the cookies of the latest five sign-ins", async () => {
  const { startAtProvider, cookies, advance, get } = openExample();
  const states = [];
  for (let count = 0; count < 7; count += 1) {
    states.push(await startAtProvider());
    advance(1_000);
  }
  expect(cookies.size).toBe(5);
  const statuses = [];
  for (const state of [states[0], states[2]]) {
    statuses.push((await get(`/signin-microsoft?code=good&state=${state}`)).status);
  }
  expect(statuses).toEqual([400, 303]);
});

test.each(["//evil.example", "/\\evil.example", "/\t/evil.example", "https:evil.example"])(
  "returns to the front page instead of %j",
  async (returnUrl) => {
    const { startAtProvider, get } = openExample();
    const state = await startAtProvider(returnUrl);
    const answer = await get(`/signin-microsoft?code=good&state=${state}`);
    expect(answer.headers.get("location")).toBe("/");
    const other = openExample();
    const own = await other.signInWith(other.tokenOf("ada"), { returnUrl });
    expect([own.status, own.headers.get("location")]).toEqual([303, "/"]);
  },
);

test("a refused person gets the reason, an event and no session", async () => {
  const { startAtProvider, get, refusals, cookies } = openExample();
  const answer = await get(`/signin-microsoft?code=bad&state=${await startAtProvider()}`);
  expect([answer.status, await answer.text()]).toEqual([
    403,
    expect.stringContaining("You are a stranger."),
  ]);
  expect(refusals).toMatchObject([{ provider: "microsoft", code: "stranger" }]);
  expect(cookies.has(SESSION)).toBe(false);
});

test("a new person waits for the approval of an administrator", async () => {
  const { startAtProvider, get, cookies } = openExample({ requiresApproval: true });
  const answer = await get(`/signin-microsoft?code=good&state=${await startAtProvider()}`);
  expect([answer.status, await answer.text()]).toEqual([
    403,
    expect.stringContaining("must approve your account"),
  ]);
  expect(cookies.has(SESSION)).toBe(false);
});

test("a provider that does not answer gives a page, not an error", async () => {
  const finish = () => Promise.reject(new TypeError("fetch failed"));
  const { startAtProvider, get, errors } = openExample({ finish });
  const answer = await get(`/signin-microsoft?code=good&state=${await startAtProvider()}`);
  expect([answer.status, await answer.text()]).toEqual([
    503,
    expect.stringContaining("Microsoft did not answer"),
  ]);
  expect(errors).toHaveLength(1);
});

test("a sign-in gives a new secret, and never adopts one of the request", async () => {
  const { cookies, signInWith, tokenOf, get } = openExample();
  const planted = "A".repeat(43);
  cookies.set(SESSION, planted);
  expect((await get("/account")).status).toBe(303);
  await signInWith(tokenOf("ada"));
  expect(cookies.get(SESSION)).not.toBe(planted);
  expect((await get("/account")).status).toBe(200);
  cookies.set(SESSION, planted);
  expect((await get("/account")).status).toBe(303);
});

test("a token signs in, and its session has the rights of the token", async () => {
  const { signInWith, tokenOf, get } = openExample({ hasProvider: false });
  expect((await signInWith(tokenOf("reader"))).status).toBe(303);
  const page = await get("/administration/rules");
  expect([page.status, page.headers.get("www-authenticate")]).toEqual([403, null]);
  expect(await page.text()).toContain("scope admin");
  const account = await (await get("/account")).text();
  expect(account).toContain("You are signed in with the token reader");
});

test("on plain http with a real name, pages explain that https is needed", async () => {
  const { get } = openExample({ home: "http://registry.example" });
  for (const [path, status] of [
    ["/sign-in", 200],
    [NEW_RULE, 401],
  ] as const) {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain("https address");
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
});

test("a user approves the sign-in of a command-line client as the same user", async () => {
  const { loginSessions, post, proofOn, users, confirmed } = await openSignedIn();
  const now = new Date("2026-01-01T00:00:00Z");
  const session = {
    pollHash: "a".repeat(64),
    code: "BCDF-2345",
    purpose: "login",
    createdAt: now,
    expiresAt: new Date("2027-01-01T00:00:00Z"),
  } as const;
  await loginSessions.insert(session);
  const path = "/sign-in/BCDF-2345";
  const fields = { decision: "approve", proof: await proofOn(path) };
  expect((await post(path, fields, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post(path, { ...fields, proof: "" })).status).toBe(403);
  expect((await loginSessions.findByCode(session.code))?.grant).toBeUndefined();
  const asked = await post(path, fields);
  expect(asked.headers.get("location")).toMatch(/^\/account\/confirm\//);
  expect((await loginSessions.findByCode(session.code))?.grant).toBeUndefined();
  expect((await confirmed(asked)).headers.get("location")).toBe(path);
  const grant = (await loginSessions.findByCode(session.code))?.grant;
  const [user] = [...users.values()];
  expect(grant?.by).toMatchObject({ actor: "ada", sessionHash: expect.any(String) as string });
  expect(grant?.token).toMatchObject({ owner: "ada", userId: user?.id, protocols: ["npm"] });
});

/** A client that asks to administer, and the browser of Ada, whose role is `role`. */
async function openAdministration(role: "administrator" | "publisher" = "administrator") {
  const browser = await openSignedIn();
  for (const [hash, user] of browser.users) browser.users.set(hash, { ...user, role });
  const code = "BCDF-2345";
  await browser.loginSessions.insert({
    pollHash: "a".repeat(64),
    code,
    purpose: "login",
    subject: "people:write",
    address: "192.0.2.7",
    createdAt: new Date("2026-01-01T00:00:00Z"),
    expiresAt: new Date("2027-01-01T00:00:00Z"),
  });
  const grant = async () => (await browser.loginSessions.findByCode(code))?.grant?.token;
  return { ...browser, path: `/sign-in/${code}`, grant };
}

test("an administrator chooses the scopes of a client that asks to administer", async () => {
  const { get, post, proofOn, confirmed, path, grant } = await openAdministration();
  const page = await (await get(path)).text();
  expect(page).toMatch(/name="scope-people:write"[^>]*checked/);
  expect(page).not.toMatch(/name="scope-admin"[^>]*checked/);
  expect(page).toContain("192.0.2.7");
  const fields = { decision: "approve", proof: await proofOn(path) };
  const none = await post(path, fields);
  expect([none.status, await none.text()]).toEqual([422, expect.stringContaining("at least one")]);
  const asked = await post(path, { ...fields, "scope-tokens:write": "true" });
  const question = await (await get(asked.headers.get("location") ?? "")).text();
  expect(question).toContain("BCDF-2345, with tokens:write");
  expect(await grant()).toBeUndefined();
  await confirmed(asked);
  const scopes = ["tokens:write"];
  expect(await grant()).toMatchObject({
    owner: "ada",
    name: "sealhouse login",
    scopes,
    protocols: [],
  });
});

test("a user who does not administer only denies a client that asks to", async () => {
  const { get, post, proofOn, path, grant, confirmed } = await openAdministration("publisher");
  const page = await (await get(path)).text();
  expect(page).toContain("which your role does not allow");
  expect(page).not.toContain('value="approve"');
  const fields = { decision: "approve", "scope-admin": "true", proof: await proofOn(path) };
  await confirmed(await post(path, fields));
  expect(await grant()).toBeUndefined();
  expect(await (await get(path)).text()).toContain("Denied");
});

test("the first administrator's link works once, by a form, on this machine", async () => {
  const browser = openExample({ hasProvider: false });
  const { get, post, proofOn, first, people, cookies } = browser;
  const path = `/first-administrator/${await first.offer()}`;
  expect((await get(path, { "x-forwarded-for": "127.0.0.1" })).status).toBe(404);
  expect((await get("/first-administrator/other")).status).toBe(404);
  const proof = await proofOn(path);
  expect(await people.list()).toEqual([]);
  expect((await post(path, { proof }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post(path, { proof: "" })).status).toBe(403);
  const proxied = { ...OWN_FORM, "x-forwarded-for": "127.0.0.1" };
  expect((await post(path, { proof }, proxied)).status).toBe(404);
  expect(await people.list()).toEqual([]);
  expect((await post(path, { proof })).headers.get("location")).toBe("/account");
  expect(await people.list()).toMatchObject([{ handle: "administrator", role: "administrator" }]);
  expect((await get(NEW_RULE)).status).toBe(200);
  cookies.clear();
  expect((await get(path)).status).toBe(404);
  expect(await first.offer()).toBeUndefined();
});

test("the first administrator's link ends after ten minutes", async () => {
  const { get, first, advance } = openExample({ hasProvider: false });
  const path = `/first-administrator/${await first.offer()}`;
  advance(600_000 - 1);
  expect((await get(path)).status).toBe(200);
  advance(1);
  expect((await get(path)).status).toBe(404);
});

test("the first administrator's link ends with the first user", async () => {
  const { get, first, people } = openExample({ hasProvider: false });
  const path = `/first-administrator/${await first.offer()}`;
  const offered = await get(path);
  expect(offered.status).toBe(200);
  expect(await offered.text()).toContain("This registry has no users yet.");
  await people.add(newPerson("ada", "administrator"), new Date(), { actor: "operator" });
  const answer = await get(path);
  expect(answer.status).toBe(404);
  const text = await answer.text();
  expect(text).toContain("the registry has users");
  expect(text).not.toContain("no users yet");
});
