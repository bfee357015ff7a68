import { expect, test } from "vitest";
import { wantsAbbreviated } from "./accept.ts";

test.each([
  ["npm install", "application/json", false],
  ["yarn 4", undefined, false],
  ["curl", "*/*", false],
  [
    "pnpm and bun",
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*",
    true,
  ],
  ["corepack", "application/vnd.npm.install-v1+json", true],
  ["no blanks", "application/vnd.npm.install-v1+json;q=0.9,application/json;q=0.5", true],
  ["another order", "application/json;q=0.8, Application/vnd.npm.install-v1+json;q=1", false],
  ["the other preference", "application/json, application/vnd.npm.install-v1+json;q=0.5", false],
  ["a refusal", "application/vnd.npm.install-v1+json;q=0, application/json", false],
  ["nonsense", "application/vnd.npm.install-v1+json;q=x", false],
])("%s (%s) wants the abbreviated form: %s", (_, accept, abbreviated) => {
  expect(wantsAbbreviated(accept)).toBe(abbreviated);
});
