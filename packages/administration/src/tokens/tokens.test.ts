import { ADMINISTRATIVE_SCOPES } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { openPeopleApi } from "../testing/open-people-api.ts";

test("a token that creates tokens gives neither administration nor the names of all", async () => {
  const { call } = await openPeopleApi();
  const outcomes = [
    [{ user: "bob", scopes: "read,write" }, 201],
    [{ user: "ada", scopes: "read" }, 403],
    [{ user: "ada", scopes: "admin" }, 403],
    ...ADMINISTRATIVE_SCOPES.map((scope) => [{ user: "ada", scopes: scope }, 403] as const),
    [{ scopes: "read" }, 403],
    [{ user: "bob", scopes: "admin" }, 422],
    [{ user: "bob", scopes: "anything" }, 422],
    [{ user: "carol" }, 404],
  ] as const;
  for (const [wanted, status] of outcomes) {
    const answer = await call("tokens:write", "POST /tokens", { name: "ci", ...wanted });
    expect.soft(answer.status, JSON.stringify(wanted)).toBe(status);
  }
  expect((await call("admin", "POST /tokens", { name: "ci", scopes: "admin" })).status).toBe(201);
});

test("a token that creates tokens replaces none that allows more, and revokes all", async () => {
  const { call } = await openPeopleApi();
  for (const [user, status] of [
    [{}, 403],
    [{ user: "ada" }, 403],
    [{ user: "bob" }, 200],
  ] as const) {
    const { body } = await call("admin", "POST /tokens", { name: "ci", ...user });
    const path = `/tokens/${String(body["id"])}`;
    const replaced = await call("tokens:write", `POST ${path}/replace`, {});
    expect.soft(replaced.status, JSON.stringify(user)).toBe(status);
    const revoked = await call("tokens:write", `POST ${path}/revoke`);
    expect.soft(revoked.body).toMatchObject({ outcome: "revoked" });
  }
});

test("pages of tokens have all of them once, and never a value or a hash", async () => {
  const { call } = await openPeopleApi();
  const values: unknown[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) {
    const { body } = await call("admin", "POST /tokens", { name, scopes: "read" });
    values.push(body["token"]);
  }
  const names: string[] = [];
  for (let query = "limit=2"; query !== "";) {
    const { body } = await call("tokens:write", `GET /tokens?${query}`);
    const items = body["items"] as readonly Record<string, unknown>[];
    names.push(...items.map(({ name }) => String(name)));
    expect(JSON.stringify(body)).not.toMatch(/"hash"/);
    expect(values.some((value) => JSON.stringify(body).includes(String(value)))).toBe(false);
    query = typeof body["next"] === "string" ? `limit=2&after=${body["next"]}` : "";
  }
  expect(names.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  expect((await call("tokens:write", "GET /tokens?after=x")).status).toBe(422);
});

/** The API with a token of Bob that the operators made. */
async function openWithToken() {
  const api = await openPeopleApi();
  const made = await api.call("admin", "POST /tokens", { name: "ci", user: "bob" });
  return { ...api, id: String(made.body["id"]), value: String(made.body["token"]) };
}

test("a replacement keeps scopes and limits, and ends with its parent", async () => {
  const { call, tokens, now } = await openPeopleApi();
  const texts = { name: "ci", scopes: "read,publish", expires: "2d", patterns: "@acme/*" };
  const parent = await call("admin", "POST /tokens", { ...texts, networks: "10.0.0.0/8" });
  const [record] = await tokens.list();
  const child = { id: "0a1b2c3d-0000-4000-8000-000000000001", createdAt: now() };
  const { expiresAt: _, ...rest } = { ...record, ...child, parentId: String(parent.body["id"]) };
  await tokens.insert(rest as NonNullable<typeof record>, { actor: "test" });
  const { status, body } = await call("admin", "POST /tokens/0a1b2c3d/replace", { expires: "1y" });
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      scopes: ["read", "publish"],
      patterns: ["@acme/*"],
      networks: ["10.0.0.0/8"],
      replaces: child.id,
      expiresAt: parent.body["expiresAt"],
      token: expect.stringMatching(/^shp_/),
    }),
  ]);
});

test("replaces no leaked and no revoked token", async () => {
  const { call, tokens, now, id } = await openWithToken();
  await call("admin", `POST /tokens/${id}/revoke`);
  const revoked = await call("admin", `POST /tokens/${id}/replace`, {});
  expect([revoked.status, revoked.body["detail"]]).toEqual([
    409,
    `The token ${id} is revoked: create a new one instead.`,
  ]);
  await tokens.reportLeak(id, { at: now() }, { actor: "scanner" });
  const leaked = await call("admin", `POST /tokens/${id}/replace`, {});
  expect([leaked.status, leaked.body["detail"]]).toEqual([
    409,
    expect.stringContaining("was reported as leaked"),
  ]);
});

test("a dry run of a revocation lists the tokens that would end, and ends none", async () => {
  const { call, tokens, id } = await openWithToken();
  const planned = await call("tokens:write", `POST /tokens/${id}/revoke?dry-run=true`);
  expect(planned.body).toMatchObject({ outcome: "planned", tokens: [{ id, state: "active" }] });
  expect((await tokens.findById(id))?.revokedAt).toBeUndefined();
  const revoked = await call("tokens:write", `POST /tokens/${id}/revoke`);
  expect(revoked.body).toMatchObject({ outcome: "revoked", tokens: [{ id, state: "revoked" }] });
  const again = await call("tokens:write", `POST /tokens/${id}/revoke`);
  expect(again.body).toMatchObject({ outcome: "unchanged", tokens: [] });
});

test("the entity tag of a token stays while it is used and expires, and ends with it", async () => {
  const { call, tokens, wait, now, id } = await openWithToken();
  const { etag, body } = await call("tokens:write", `GET /tokens/${id}`);
  expect(body).toMatchObject({ id, state: "active", holder: "user bob", owner: "bob" });
  wait(400);
  await tokens.used([{ id, at: now(), from: "192.0.2.1" }]);
  const later = await call("tokens:write", `GET /tokens/${id}`);
  expect([later.etag, later.body["state"]]).toEqual([etag, "expired"]);
  const revoked = await call("tokens:write", `POST /tokens/${id}/revoke`, undefined, etag ?? "");
  expect(revoked.status).toBe(200);
  const stale = await call("tokens:write", `POST /tokens/${id}/revoke`, undefined, etag ?? "");
  expect(stale.status).toBe(412);
});

test.each([
  [{ scopes: "everything" }, "scopes", '"everything" is not a scope.'],
  [{ expires: "soon" }, "expires", '"soon" is not a time.'],
  [{ expires: "2001-01-01" }, "expires", "cannot be used: The expiry of the token is not in"],
  [{ protocols: "maven" }, "protocols", '"maven" is not a protocol'],
  [{ patterns: "a b? c" }, "patterns", '"b?" is not a name pattern.'],
  [{ networks: "10.0.0.0/99" }, "networks", '"10.0.0.0/99" is not a network.'],
  [{ name: " " }, "name", "cannot be used: A token requires a name"],
  [{ user: "bob", account: "deploy" }, "account", "cannot follow a user"],
  [{ user: "bob", scopes: "admin" }, "scopes", "cannot be given: the role publisher of bob does"],
])("a new token with %j is refused at its field", async (texts, field, words) => {
  const { call, tokens } = await openPeopleApi();
  const { status, body } = await call("admin", "POST /tokens", { name: "ci", ...texts });
  const detail = expect.stringContaining(words) as unknown;
  expect([status, body["errors"]]).toEqual([422, [{ pointer: `#/${field}`, detail }]]);
  expect(await tokens.list()).toEqual([]);
});

test("refuses a beginning of an id that several tokens have", async () => {
  const { call, tokens } = await openWithToken();
  const [record] = await tokens.list();
  for (const end of ["1", "2"]) {
    const id = `0a1b2c3d-0000-4000-8000-00000000000${end}`;
    if (record) await tokens.insert({ ...record, id }, { actor: "test" });
  }
  expect((await call("admin", "GET /tokens/0a1b2c3d")).status).toBe(409);
  expect((await call("admin", "GET /tokens/0a1b2c3d-0000-4000-8000-000000000002")).status).toBe(
    200,
  );
  expect((await call("admin", "GET /tokens/ffffffff-0000")).status).toBe(404);
  expect((await call("admin", "GET /tokens/%25")).status).toBe(404);
});
