import { expect, test } from "vitest";
import { json, registry } from "../testing/registry.ts";

const now = new Date("2026-01-01T00:00:00Z");
const tokens = "/npm/-/npm/v1/tokens";

type Listing = {
  readonly objects: readonly { readonly key: string; readonly name: string }[];
  readonly total: number;
  readonly urls: { readonly next?: string };
};

function opened(options: Parameters<typeof registry>[0] = {}) {
  const made = registry({ now: () => now, ...options }, { now: () => now });
  const create = (body: unknown, headers: Record<string, string> = {}) =>
    made.app.request(tokens, {
      method: "POST",
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
  return { ...made, create };
}

test("makes a token, shows its value once, and the same token in the list without it", async () => {
  const { app, create } = opened();
  const response = await create({
    name: "ci",
    password: "any",
    packages: ["left-pad"],
    scopes: ["@acme", "tools"],
    orgs: ["house"],
    packages_and_scopes_permission: "read-only",
    expires: 7,
    cidr_whitelist: ["10.0.0.0/8"],
    bypass_2fa: true,
  });
  expect(response.status).toBe(201);
  const listed = {
    key: "00000-t",
    name: "ci",
    created: now.toISOString(),
    updated: now.toISOString(),
    accessed: null,
    expiry: "2026-01-08T00:00:00.000Z",
    expires: "2026-01-08T00:00:00.000Z",
    readonly: true,
    cidr_whitelist: ["10.0.0.0/8"],
    bypass_2fa: false,
    permissions: [{ name: "package", action: "read" }],
    scopes: [
      { type: "package", name: "left-pad" },
      { type: "scope", name: "@acme" },
      { type: "scope", name: "@tools" },
      { type: "scope", name: "@house" },
    ],
  };
  expect(await response.json()).toEqual({ ...listed, token: "shp_00000-t-secret" });
  const list: unknown = await (await app.request(tokens)).json();
  expect(list).toEqual({ objects: [{ ...listed, token: "shp_00000-t" }], total: 1, urls: {} });
});

test.each([
  [{}, { name: "npm token", readonly: false }],
  [{ token_description: "old words", cidr: ["192.0.2.1"] }, { cidr_whitelist: ["192.0.2.1"] }],
  [
    { password: "x", readonly: true, cidr_whitelist: [] },
    { readonly: true, cidr_whitelist: null },
  ],
  [{ packages_all: true, packages: ["a"] }, { scopes: [] }],
  [
    { packages_and_scopes_permission: "read-write-stage-only" },
    { permissions: [{ name: "package", action: "stage" }] },
  ],
  [
    { packages_and_scopes_permission: "read-write", orgs_permission: "read-only" },
    { permissions: [{ name: "package", action: "write" }], expiry: "2027-01-01T00:00:00.000Z" },
  ],
])("takes %j", async (body, shown) => {
  const response = await opened().create(body);
  expect([response.status, await response.json()]).toMatchObject([201, shown]);
});

test.each([
  [{ packages_and_scopes_permission: "no-access" }, 400, /open nothing/],
  [{ packages_and_scopes_permission: "constructor" }, 400, /one of: no-access, read-only/],
  [{ orgs_permission: "read-write" }, 403, /no organisations/],
  [{ packages: ["../x"] }, 400, /not a package name/],
  [{ packages: ["*"] }, 400, /not a package name/],
  [{ packages: [1] }, 400, /list of texts/],
  [{ scopes: ["@a/b"] }, 400, /not an npm scope/],
  [{ scopes: ["*"] }, 400, /not an npm scope/],
  [{ expires: 0 }, 400, /whole days/],
  [{ expires: "7" }, 400, /whole days/],
  [{ packages: Array.from({ length: 101 }, () => "a") }, 400, /at most 100/],
  [[], 400, /not a JSON object/],
])("refuses %j with %i", async (body, status, words) => {
  const { create, ports } = opened();
  const response = await create(body);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(words) as string });
  expect(ports.accounts.inspect.tokens()).toEqual([]);
});

test("lists more than one page, with links between the pages", async () => {
  const { app, create } = opened();
  for (let count = 0; count < 23; count++) await create({ name: `t${count}` });
  const names: string[] = [];
  let next: string | undefined = "/-/npm/v1/tokens";
  for (let pages = 0; next !== undefined && pages < 10; pages++) {
    const page = (await (await app.request(`/npm${next}`)).json()) as Listing;
    expect(page.total).toBe(23);
    names.push(...page.objects.map(({ name }) => name));
    next = page.urls.next;
  }
  expect(names).toEqual(Array.from({ length: 23 }, (_, index) => `t${index}`));
  const wide = (await (await app.request(`${tokens}?page=0&perPage=50`)).json()) as Listing;
  expect([wide.objects.length, wide.urls]).toEqual([23, {}]);
  expect((await app.request(`${tokens}?page=x`)).status).toBe(400);
});

test("revokes by id and by value, and knows no others", async () => {
  const { app, create } = opened();
  await create({ name: "one" });
  await create({ name: "two" });
  for (const which of ["00000-t", "shp_00001-t-secret"]) {
    const response = await app.request(`${tokens}/token/${which}`, { method: "DELETE" });
    expect([response.status, await response.text()]).toEqual([204, ""]);
  }
  expect(await (await app.request(tokens)).json()).toMatchObject({ total: 0 });
  const unknown = await app.request(`${tokens}/token/shp_unknown`, { method: "DELETE" });
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).not.toContain("shp_unknown");
});

const stepUp = { accounts: { stepUp: true } };

test("reads and changes of a token by its id are no such thing", async () => {
  const { app } = opened();
  for (const address of [`${tokens}/token/shp_x`, "/npm/-/user/token/shp_x"]) {
    const response = await app.request(address);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "DELETE"]);
    expect(await response.text()).not.toContain("shp_x");
  }
});

test("the web form of a second step has a page to open and an address to poll", async () => {
  const { create, ports } = opened(stepUp);
  const response = await create({ name: "ci" }, { "npm-auth-type": "web" });
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
  expect(response.headers.get("npm-notice")).toContain("sealhouse npm confirm CODE-0");
  expect(await response.json()).toMatchObject({
    authUrl: "http://registry.test/sign-in/CODE-0",
    doneUrl: "http://registry.test/npm/-/v1/done?sessionId=session-0",
    error: expect.stringContaining("one-time pass") as string,
  });
  expect(ports.accounts.inspect.tokens()).toEqual([]);
});

test("the classic form names the password to type, and accepts it", async () => {
  const { create } = opened(stepUp);
  const refusal = await create({ name: "ci" }, { "npm-auth-type": "legacy" });
  const body = (await refusal.json()) as Record<string, string>;
  expect([refusal.status, refusal.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
  expect(body["error"]).toContain("--otp=CODE-0");
  expect(body).not.toHaveProperty("authUrl");
  const wrong = await create({ name: "ci" }, { "npm-otp": "123456" });
  expect([wrong.status, await wrong.json()]).toMatchObject([
    401,
    { error: expect.stringMatching(/^This one-time password is not/) as string },
  ]);
  expect((await create({ name: "ci" }, { "npm-otp": "confirmed" })).status).toBe(201);
});
