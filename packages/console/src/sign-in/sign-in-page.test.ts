import { expect, test } from "vitest";
import { exampleSite } from "../testing/example-packages.ts";
import type { SignInPage } from "./model.ts";
import { createSignInApp } from "./sign-in-app.ts";

const waiting: SignInPage = {
  code: "BCDF-2345",
  purpose: "login",
  state: "waiting",
  until: new Date("2026-01-01T10:10:00Z"),
  address: "192.0.2.7",
};

function respond(page: SignInPage | undefined) {
  const app = createSignInApp({
    site: () => exampleSite(),
    waiting: async (code) => (code === page?.code ? page : undefined),
  });
  return app.request("/sign-in/BCDF-2345");
}

test("shows the code, the line that agrees and the line that refuses, and who asked", async () => {
  const response = await respond(waiting);
  const text = (await response.text()).replaceAll(/<[^>]*>/g, "");
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(text).toContain("sealhouse npm login BCDF-2345 --name alice");
  expect(text).toContain("sealhouse npm deny BCDF-2345");
  expect(text).toContain("192.0.2.7");
  expect(text).toContain("10:10 UTC");
});

test("a confirmation has its own line", async () => {
  const text = await (await respond({ ...waiting, purpose: "confirm" })).text();
  expect(text).toContain("sealhouse npm confirm BCDF-2345");
  expect(text).not.toContain("--name alice");
});

test.each([
  ["agreed", "continues by itself"],
  ["denied", "The operator refused"],
  ["ended", "within ten minutes"],
] as const)("says that it is %s, and no longer what to type", async (state, words) => {
  const text = await (await respond({ ...waiting, state })).text();
  expect(text).toContain(words);
  expect(text).not.toContain("sealhouse npm");
});

test("a code that nobody waits with is not found", async () => {
  const response = await respond(undefined);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("This code is not valid");
});
