import { expect, test } from "vitest";
import { OciError } from "./errors.ts";
import { parseRepositoryName } from "./repository-name.ts";

test.each([
  "a",
  "team/app",
  "a.b_c__d-e---f",
  "a/blobs/uploads",
  "0/1/2/3",
  "x".repeat(255),
  `${"a".repeat(127)}/${"b".repeat(127)}`,
])("takes %s", (name) => {
  expect(parseRepositoryName(name)).toBe(name);
});

test.each([
  "",
  "App",
  "a/",
  "/a",
  "a//b",
  "a..b",
  "a___b",
  "-a",
  "a-",
  ".",
  "..",
  "a/../b",
  "a b",
  "a\n",
  "a\\b",
  "a\0",
  "ä",
  "x".repeat(256),
])("refuses %j", (name) => {
  expect(() => parseRepositoryName(name)).toThrow(OciError);
});

test("refuses a long hostile name without backtracking, which would take hours", () => {
  expect(() => parseRepositoryName(`${"a-".repeat(5_000_000)}!`)).toThrow(OciError);
  expect(() => parseRepositoryName(`${"a-".repeat(99)}!`)).toThrow(OciError);
});
