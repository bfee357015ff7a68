import { expect, test } from "vitest";
import { put, registry } from "../testing/registry.ts";

test.each([
  ["npm", "public, max-age=300"],
  ["pnpm", "public, max-age=300"],
  ["other", "no-store"],
])("that there is no %s may be kept: %s", async (name, cacheControl) => {
  const { app } = registry();
  const answer = await app.request(`/npm/${name}`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: "Not found" }]);
  expect(answer.headers.get("cache-control")).toBe(cacheControl);
});

test("a package manager that is published here is found, like any other package", async () => {
  const { app } = registry({}, { anonymousRead: false });
  const before = await app.request("/npm/pnpm");
  expect(before.headers.get("cache-control")).toBe("private, max-age=60");
  expect(before.headers.get("vary")).toMatch(/authorization/i);
  await put(app, { name: "pnpm" });
  expect((await app.request("/npm/pnpm")).status).toBe(200);
});
