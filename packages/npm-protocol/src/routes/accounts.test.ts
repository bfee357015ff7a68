import { expect, test } from "vitest";
import type { Identified } from "../accounts/ports.ts";
import { json, registry } from "../testing/registry.ts";

const couch = "/npm/-/user/org.couchdb.user:tester";

function signInBody(password: string, more: Record<string, unknown> = {}): RequestInit {
  const user = { _id: "org.couchdb.user:tester", name: "tester", type: "user", roles: [] };
  return { method: "PUT", headers: json, body: JSON.stringify({ ...user, password, ...more }) };
}

test("a web login returns two absolute addresses and waits for a confirmation", async () => {
  const { app, ports } = registry();
  const init = { method: "POST", headers: json, body: "{}" };
  const started = await app.request("/npm/-/v1/login", init);
  expect(started.headers.get("cache-control")).toBe("no-store");
  expect(await started.json()).toEqual({
    loginUrl: "http://registry.test/sign-in/CODE-0",
    doneUrl: "http://registry.test/npm/-/v1/done?sessionId=session-0",
  });
  const poll = () => app.request("/npm/-/v1/done?sessionId=session-0");
  const waiting = await poll();
  expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([202, "2"]);
  ports.accounts.inspect.decide("CODE-0", { status: "agreed", secret: "shp_new" });
  const done = await poll();
  expect([done.status, await done.json()]).toEqual([200, { token: "shp_new" }]);
  expect(done.headers.get("cache-control")).toBe("no-store");
});

test.each([
  ["denied", /operator refused/],
  ["ended", /start again/],
] as const)(
  "a login that is %s ends: for npm with a notice, else as refused",
  async (status, words) => {
    const { app, ports } = registry();
    await app.request("/npm/-/v1/login", { method: "POST", headers: json, body: "{}" });
    ports.accounts.inspect.decide("CODE-0", { status });
    const address = "/npm/-/v1/done?sessionId=session-0";
    const other = await app.request(address);
    const text = expect.stringMatching(words) as string;
    expect([other.status, await other.json()]).toMatchObject([403, { error: text }]);
    // 4xx would send npm on to ask for a password.
    const npm = await app.request(address, { headers: { "npm-command": "login" } });
    expect([npm.status, npm.headers.get("npm-notice")]).toEqual([200, text]);
    expect(await npm.json()).not.toHaveProperty("token");
  },
);

test.each([
  ["off", 404],
  ["crowded", 429],
] as const)(
  "where logins are %s clients get %i, and ask for a password",
  async (...[closed, status]) => {
    const { app } = registry({ accounts: { closed } });
    const response = await app.request("/npm/-/v1/login", {
      method: "POST",
      headers: json,
      body: "{}",
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: expect.any(String) as string });
  },
);

test("a token as the password gives another token, whatever else the request says", async () => {
  const { app, ports } = registry({ accounts: { identified: { status: "anonymous" } } });
  const init = signInBody("right", { email: "a@b.test" });
  const stale = { ...json, authorization: "Bearer stale" };
  const response = await app.request(couch, { ...init, headers: stale });
  const [made] = ports.accounts.inspect.tokens();
  expect([response.status, await response.json()]).toEqual([
    201,
    {
      ok: "you are authenticated as 'tester'",
      id: "org.couchdb.user:tester",
      rev: "1-0",
      token: made?.value,
    },
  ]);
  expect(response.headers.get("npm-notice")).toBeNull();
});

test("a stolen token is not enough for another where an operator has to agree", async () => {
  const { app, ports } = registry({ accounts: { stepUp: true } });
  const refusal = await app.request(couch, signInBody("right"));
  expect([refusal.status, refusal.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
  expect(await refusal.text()).toContain("sealhouse npm confirm CODE-0");
  expect(ports.accounts.inspect.tokens()).toEqual([]);
  const headers = { ...json, "npm-otp": "confirmed" };
  const made = await app.request(couch, { ...signInBody("right"), headers });
  expect(made.status).toBe(201);
  const wrong = await app.request(couch, signInBody("wrong"));
  expect(wrong.headers.get("www-authenticate")).toBeNull();
});

test("reports the account when it differs from the typed name", async () => {
  const { app } = registry();
  const response = await app.request("/npm/-/user/org.couchdb.user:bob", signInBody("right"));
  expect(response.status).toBe(201);
  expect(response.headers.get("npm-notice")).toMatch(/signed in as tester/);
});

test.each([
  ["login", 401, /password here is a token/],
  ["adduser", 403, /no sign-up\. Run `npm login`/],
])("npm %s with a wrong password gets %i and a reason", async (command, status, words) => {
  const { app } = registry();
  const init = signInBody("wrong", { email: "a@b.test" });
  const headers = { ...json, "npm-command": command };
  const response = await app.request(couch, { ...init, headers });
  expect(response.status).toBe(status);
  expect(response.headers.get("www-authenticate")).toBeNull();
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(words) as string });
});

test("logging out revokes the token in the path, and says when there was none", async () => {
  const { app, ports } = registry();
  const signedIn = (await (await app.request(couch, signInBody("right"))).json()) as {
    token: string;
  };
  const address = `/npm/-/user/token/${encodeURIComponent(signedIn.token)}`;
  const response = await app.request(address, { method: "DELETE" });
  expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
  expect(ports.accounts.inspect.tokens()).toMatchObject([{ revoked: true }]);
  const unknown = await app.request("/npm/-/user/token/shp_other", { method: "DELETE" });
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).not.toContain("shp_other");
});

test("returns a profile, and explains why it cannot be changed", async () => {
  const { app } = registry();
  const init = { method: "POST", headers: json, body: '{"fullname":"A"}' };
  const response = await app.request("/npm/-/npm/v1/user", init);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({
    error: expect.stringMatching(/nothing of a profile can be changed/) as string,
  });
});

test.each<[string, Identified, number, RegExp, string | null]>([
  ["nobody", { status: "anonymous" }, 401, /run npm login/, 'Bearer realm="npm"'],
  ["a token from elsewhere", { status: "denied", reason: "Not here." }, 403, /Not here/, null],
  ["somebody who guesses", { status: "limited", retryAfterSeconds: 7 }, 429, /wait/, null],
])("tells %s so", async (_, identified, ...[status, words, challenge]) => {
  const { app } = registry({ accounts: { identified } });
  for (const address of ["whoami", "npm/v1/user", "npm/v1/tokens", "user/org.couchdb.user:a"]) {
    const response = await app.request(`/npm/-/${address}`);
    expect(response.status, address).toBe(status);
    expect(response.headers.get("www-authenticate")).toBe(challenge);
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(words) as string });
  }
});
