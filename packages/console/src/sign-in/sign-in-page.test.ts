import { expect, test } from "vitest";
import { exampleSite } from "../testing/example-packages.ts";
import type { SignInPage } from "./sign-in-page.ts";
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

test("shows the code, the commands to approve and deny, and the client's address", async () => {
  const response = await respond(waiting);
  const text = (await response.text()).replaceAll(/<[^>]*>/g, "");
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("private, no-store");
  expect(text).toContain("sealhouse npm login BCDF-2345 --name alice");
  expect(text).toContain("sealhouse npm deny BCDF-2345");
  expect(text).toContain("192.0.2.7");
  expect(text).toContain("10:10 UTC");
});

test("a confirmation shows its own command", async () => {
  const text = await (await respond({ ...waiting, purpose: "confirm" })).text();
  expect(text).toContain("sealhouse npm confirm BCDF-2345");
  expect(text).not.toContain("--name alice");
});

test.each([
  ["agreed", "Your command continues"],
  ["denied", "Denied"],
  ["ended", "within ten minutes"],
] as const)("shows %s, and no longer what to type", async (state, words) => {
  const text = await (await respond({ ...waiting, state })).text();
  expect(text).toContain(words);
  expect(text).not.toContain("sealhouse npm");
});

test("an unknown code returns 404", async () => {
  const response = await respond(undefined);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("Unknown or expired code");
});
