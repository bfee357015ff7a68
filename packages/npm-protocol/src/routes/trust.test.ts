import type { PackageVerdict } from "@sealhouse/request-types";
import { expect, test } from "vitest";
import { GITHUB, GITLAB } from "../testing/memory-trust.ts";
import { granted, json, put, registry } from "../testing/registry.ts";

const PATH = "/npm/-/package/@acme%2fdemo/trust";
const EXCHANGE = "/-/npm/v1/oidc/token/exchange/package/";
const wish = {
  type: "github",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
  permissions: ["createPackage"],
};
const run = {
  repository: "acme/demo",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};

type Listed = readonly { readonly id: string; readonly claims: object }[];

function opened(options: Parameters<typeof registry>[0] = {}) {
  const made = registry(options);
  const add = (body: unknown, headers: Record<string, string> = {}) =>
    made.app.request(PATH, {
      method: "POST",
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
  const list = async () => (await (await made.app.request(PATH)).json()) as Listed;
  let count = 0;
  const exchange = (
    claims: object,
    {
      path = `/npm${EXCHANGE}@acme%2fdemo`,
      issuer = GITHUB,
      fingerprint = `f${(count += 1)}`,
    } = {},
  ) => {
    const authorization = `Bearer ${JSON.stringify({ issuer, claims, fingerprint })}`;
    return made.app.request(path, { method: "POST", headers: { authorization } });
  };
  return { ...made, add, list, exchange };
}

async function errorOf(response: Response) {
  const { error } = (await response.json()) as { readonly error: string };
  return `${response.status} ${error}`;
}

test("trusts a publisher, lists it and revokes it, as npm trust asks", async () => {
  const { app, add, list } = opened();
  const response = await add([wish]);
  expect(response.status).toBe(200);
  const added = (await response.json()) as Listed;
  expect(added).toEqual([{ id: added[0]?.id, ...wish }]);
  expect(await list()).toEqual(added);
  const path = `${PATH}/${added[0]?.id}`;
  const revoked = await app.request(path, { method: "DELETE" });
  expect([revoked.status, await revoked.text()]).toEqual([204, ""]);
  expect((await app.request(path, { method: "DELETE" })).status).toBe(404);
  expect(await list()).toEqual([]);
});

test.each([
  ["no list", wish, "1 to 20"],
  ["an empty list", [], "1 to 20"],
  ["an unknown service", [{ ...wish, type: "jenkins" }], 'of "jenkins", but of github, gitlab'],
  ["a service without issuer", [{ ...wish, type: "circleci" }], 'of "circleci"'],
  ["claims that nobody checks", [{ ...wish, claims: { ...wish.claims, ref: "x" } }], "not checked"],
  ["no permission", [{ ...wish, permissions: [] }], "permissions"],
  ["an unknown permission", [{ ...wish, permissions: ["createPackage", "admin"] }], "permissions"],
])("refuses %s, and trusts no publisher then", async (_what, body, words) => {
  const { add, list } = opened();
  const refused = await errorOf(await add(body));
  expect(refused).toMatch(/^400 /);
  expect(refused).toContain(words);
  expect(await list()).toEqual([]);
});

test("refuses to trust the same twice, or in an old kind of name", async () => {
  const { app, add, list } = opened();
  expect(await errorOf(await add([wish, wish]))).toMatch(/^409 .* trusts this already/);
  await add([wish]);
  const permissions = ["createStagedPackage"];
  expect(await errorOf(await add([{ ...wish, permissions }]))).toMatch(/^409 /);
  expect((await add([{ ...wish, claims: { ...wish.claims, environment: "npm" } }])).status).toBe(
    200,
  );
  expect(await list()).toHaveLength(2);
  const issues = { ...wish, claims: { ...wish.claims, environment: "issues" } };
  const both = await Promise.all([add([issues]), add([issues])]);
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
  expect(await list()).toHaveLength(3);
  const body = JSON.stringify([wish]);
  const old = await app.request("/npm/-/package/De*mo/trust", {
    method: "POST",
    headers: json,
    body,
  });
  expect(old.status).toBe(400);
});

test("wants to be confirmed where the operator wants that, and only for changes", async () => {
  const { app, add, list } = opened({ accounts: { stepUp: true } });
  const refusal = await add([wish]);
  expect([refusal.status, refusal.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
  expect(await list()).toEqual([]);
  expect((await add([wish], { "npm-otp": "confirmed" })).status).toBe(200);
  const [publisher] = await list();
  const path = `${PATH}/${publisher?.id}`;
  expect((await app.request(path, { method: "DELETE" })).status).toBe(401);
  const headers = { "npm-otp": "confirmed" };
  expect((await app.request(path, { method: "DELETE", headers })).status).toBe(204);
});

test("is for those who may write: who may only publish neither sees nor changes it", async () => {
  const denied: PackageVerdict = { status: "denied", reason: "This token only publishes." };
  const { app, add } = opened({
    authorize: async (_request, _env, { action }) =>
      action === "publish" || action === "read" ? granted("GitHub Actions", "t-1") : denied,
  });
  expect((await add([wish])).status).toBe(403);
  expect((await app.request(PATH)).status).toBe(403);
  expect((await app.request(`${PATH}/x`, { method: "DELETE" })).status).toBe(403);
  expect((await put(app, { name: "@acme/demo" })).status).toBe(200);
  const headers = { ...json };
  const tag = await app.request("/npm/-/package/@acme%2fdemo/dist-tags/beta", {
    method: "PUT",
    headers,
    body: '"1.0.0"',
  });
  expect(tag.status).toBe(200);
  const deprecation = { name: "@acme/demo", versions: { "1.0.0": { deprecated: "old" } } };
  const deprecated = await app.request("/npm/@acme%2fdemo", {
    method: "PUT",
    headers,
    body: JSON.stringify(deprecation),
  });
  expect(await errorOf(deprecated)).toBe("403 This token only publishes.");
});

test.each([`/npm${EXCHANGE}@acme%2fdemo`, `${EXCHANGE}@acme%2Fdemo`, `${EXCHANGE}@acme/demo`])(
  "gives a token to a job that is trusted, at %s",
  async (path) => {
    const now = new Date("2026-01-01T00:00:00Z");
    const { add, exchange, list } = opened({ now: () => now });
    await add([wish]);
    const response = await exchange(run, { path });
    expect(response.status).toBe(201);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      token_type: "oidc",
      token: `for-${(await list())[0]?.id}`,
      created: now.toISOString(),
      expires: "2026-01-01T00:01:00.000Z",
    });
  },
);

test("gives another token for the same ID token, but none once it was revoked", async () => {
  const { app, add, exchange } = opened();
  await add([wish]);
  const body = JSON.stringify([wish]);
  await app.request("/npm/-/package/other/trust", { method: "POST", headers: json, body });
  const fingerprint = "twice";
  const tokenOf = async (path?: string) => {
    const answer = await exchange(run, { fingerprint, ...(path !== undefined && { path }) });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { readonly token: string }).token;
  };
  const tokens = [await tokenOf(), await tokenOf(), await tokenOf(`${EXCHANGE}other`)];
  expect(new Set(tokens).size).toBe(3);
  const refused = await exchange({ ...run, revoked: true }, { fingerprint });
  expect(await errorOf(refused)).toMatch(/^401 .* gave for @acme\/demo was revoked/);
  const limited = await exchange({ ...run, limited: true });
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "2"]);
});

test("refuses other jobs, and does not reveal whether the package exists", async () => {
  const { app, add, exchange } = opened();
  await put(app, { name: "published" });
  await add([{ ...wish, claims: { ...wish.claims, environment: "npm" } }]);
  const errorFor = async (...args: Parameters<typeof exchange>) =>
    (await errorOf(await exchange(...args))).replace(/of \S+ fits/, "of <name> fits");
  const refused = await errorFor(run);
  expect(refused).toMatch(/^404 No trusted publisher of <name> fits repository "acme\/demo", work/);
  expect(await errorFor({ ...run, environment: "test" })).toContain('environment "test"');
  expect(await errorFor({ ...run, environment: "npm" }, { issuer: GITLAB })).toContain("404");
  expect(await errorFor(run, { path: `${EXCHANGE}unknown` })).toBe(refused);
  expect(await errorFor(run, { path: `${EXCHANGE}published` })).toBe(refused);
  expect((await exchange({ ...run, environment: "npm" })).status).toBe(201);
});

test("refuses invalid ID tokens, and serves nothing else at the root of the host", async () => {
  const { app } = opened();
  const path = `${EXCHANGE}@acme%2fdemo`;
  const headers = { authorization: "Bearer shp_secret" };
  expect(await errorOf(await app.request(path, { method: "POST", headers }))).toBe(
    "401 It is no ID token.",
  );
  expect((await app.request(path)).status).toBe(405);
  expect((await app.request(`${EXCHANGE}%00`, { method: "POST" })).status).toBe(400);
  for (const other of ["/-/ping", "/-/npm/v1/oidc/token", "/@acme%2fdemo"]) {
    expect((await app.request(other)).status).toBe(404);
  }
});
