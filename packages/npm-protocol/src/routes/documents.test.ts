import { expect, test } from "vitest";
import type { AuthorizePackage } from "../ports.ts";
import { granted, put, registry } from "../testing/registry.ts";

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

test.each([
  [["read"], 1],
  [["read", "publish"], 3],
  [["read", "delete"], 3],
])(
  "?write=true renders only for callers who may change the package: %j",
  async (actions, expected) => {
    let allowed: readonly string[] = ["read", "publish"];
    const authorize: AuthorizePackage = async (_request, _env, { action }) =>
      allowed.includes(action) ? granted("alice") : { status: "denied", reason: "no" };
    let rendered = 0;
    const { app, ports } = registry({ authorize });
    await put(app, { name: "demo" });
    const { lookup } = ports;
    const find = (name: string) => {
      rendered += 1;
      return lookup.find(name);
    };
    Object.assign(ports, { lookup: { ...lookup, find } });
    allowed = actions;
    for (const query of ["", "?write=true", "?write=true"]) {
      const answer = await app.request(`/npm/demo${query}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ _rev: expect.stringMatching(/^\d+-/) });
      expect(answer.headers.get("cache-control") === "no-store").toBe(query !== "");
    }
    expect(rendered).toBe(expected);
  },
);
