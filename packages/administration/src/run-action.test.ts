import { expect, test } from "vitest";
import { openPeopleApi } from "./testing/open-people-api.ts";

test("of many changes with one entity tag, one is made", async () => {
  const { call } = await openPeopleApi();
  await call("people:write", "POST /teams", { handle: "acme" });
  const { etag } = await call("people:write", "GET /teams/acme");
  const rename = (name: string) =>
    call("people:write", "PUT /teams/acme/name", { name }, etag ?? "");
  const answers = await Promise.all(["One", "Two", "Three", "Four"].map(rename));
  const counted = Object.groupBy(answers, ({ status }) => status);
  expect([counted[200]?.length, counted[412]?.length]).toEqual([1, 3]);
  const { body } = await call("people:write", "GET /teams/acme");
  const made = answers.find(({ status }) => status === 200);
  expect(body["displayName"]).toBe(made?.body["displayName"]);
});
