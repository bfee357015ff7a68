import { expect, test } from "vitest";
import { openPeopleApi } from "../testing/open-people-api.ts";

test("a token that changes people changes no administrator, and makes none", async () => {
  const { call } = await openPeopleApi();
  const outcomes = [
    ["POST /users", { handle: "eve", role: "administrator" }, 403],
    ["POST /users", { handle: "eve", role: "publisher" }, 201],
    ["PUT /users/bob/role", { role: "administrator" }, 403],
    ["PUT /users/bob/role", { role: "groups" }, 403],
    ["PUT /users/bob/role", { role: "consumer" }, 200],
    ["PUT /users/ada/role", { role: "consumer" }, 403],
    ["PUT /users/ada/state", { action: "block" }, 403],
    ["PUT /users/bob/state", { action: "block", reason: "two\nlines" }, 422],
    ["PUT /users/bob/state", { action: "block", reason: "Left." }, 200],
    ["DELETE /users/ada/passkeys", undefined, 403],
    ["DELETE /users/bob/passkeys", undefined, 200],
    ["POST /users", { handle: "bob" }, 409],
    ["POST /teams", { handle: "Web" }, 422],
    ["POST /teams", { handle: "web" }, 201],
    ["PUT /teams/web/members/eve", { level: "manager" }, 200],
    ["POST /accounts", { name: "deploy", team: "none" }, 404],
    ["POST /accounts", { name: "deploy", team: "web" }, 201],
    ["PUT /accounts/deploy/state", { state: "blocked" }, 200],
  ] as const;
  for (const [line, body, status] of outcomes) {
    expect.soft((await call("people:write", line, body)).status, line).toBe(status);
  }
});

test("of two administrators with one entity tag, the second reads again", async () => {
  const { call } = await openPeopleApi();
  await call("admin", "POST /teams", { handle: "web" });
  for (const [row, change, input] of [
    ["/users/bob", "PUT /users/bob/role", { role: "consumer" }],
    ["/teams/web", "PUT /teams/web/members/bob", { level: "manager" }],
  ] as const) {
    const { etag } = await call("people:write", `GET ${row}`);
    expect((await call("people:write", change, input, etag ?? "")).status).toBe(200);
    expect((await call("people:write", change, input, etag ?? "")).status).toBe(412);
    const later = await call("people:write", `GET ${row}`);
    expect((await call("people:write", change, input, later.etag ?? "")).status).toBe(200);
  }
});

test.each([
  ["POST /users", { handle: "Eve" }, 422, "handle", '"Eve" is not a handle'],
  ["POST /users", { handle: "admin" }, 422, "handle", '"admin" is reserved.'],
  ["POST /users", { handle: "ada" }, 409, "handle", '"ada" is taken'],
  ["POST /users", { handle: "eve", name: "a\nb" }, 422, "name", "must have at most 200 characters"],
  ["POST /users", { handle: "eve", role: "boss" }, 422, "role", "must be one of: consumer"],
  ["POST /teams", { handle: "bob" }, 409, "handle", '"bob" is taken'],
  ["POST /teams", { handle: "api", group: "Web people" }, 422, "group", "is not a group."],
  ["PUT /teams/web/name", { name: "" }, 422, "name", "must have at least 1 characters."],
  ["PUT /teams/web/group", { group: "Web people" }, 422, "group", "is not a group."],
  ["POST /accounts", { name: "web" }, 409, "name", '"web" is taken'],
  ["PUT /users/bob/state", { action: "approve", reason: "Why." }, 422, "reason", "is for a block"],
] as const)("%s with %j is refused at its field", async (...refusal) => {
  const [line, input, status, field, words] = refusal;
  const { call } = await openPeopleApi();
  await call("admin", "POST /teams", { handle: "web" });
  const answer = await call("admin", line, input);
  const detail = expect.stringContaining(words) as unknown;
  expect([answer.status, answer.body["errors"]]).toEqual([
    status,
    [{ pointer: `#/${field}`, detail }],
  ]);
});

test("the last active administrator stays one", async () => {
  const { call } = await openPeopleApi();
  expect((await call("admin", "PUT /users/root/role", { role: "consumer" })).status).toBe(200);
  for (const [line, input] of [
    ["PUT /users/ada/role", { role: "publisher" }],
    ["PUT /users/ada/state", { action: "block" }],
  ] as const) {
    const { status, body } = await call("admin", line, input);
    expect([status, body["detail"]]).toEqual([
      409,
      "ada is the last active administrator. Make another one first. " +
        "To do so: sealhouse user role <handle> administrator",
    ]);
  }
});

test("a service account shows its team by handle, and a team its members", async () => {
  const { call } = await openPeopleApi();
  await call("admin", "POST /teams", { handle: "web", name: "The web", group: "g-1" });
  await call("admin", "PUT /teams/web/members/bob", {});
  await call("admin", "POST /accounts", { name: "deploy", team: "web" });
  expect((await call("admin", "GET /accounts/deploy")).body).toMatchObject({ team: "web" });
  const { body } = await call("admin", "PUT /teams/web/group", {});
  expect(body).toMatchObject({ displayName: "The web", members: [{ handle: "bob" }] });
  expect(body).not.toHaveProperty("groupRef");
  expect((await call("admin", "DELETE /teams/web/members/ada")).status).toBe(404);
  expect((await call("admin", "DELETE /teams/web/members/bob")).body).toEqual({
    team: "web",
    user: "bob",
  });
});
