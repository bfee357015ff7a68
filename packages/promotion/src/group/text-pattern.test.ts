import { expect, test } from "vitest";
import { textPattern } from "./text-pattern.ts";

test.each([
  ["1.2.*", "1.2.30", true],
  ["1.2.*", "1.3.0", false],
  ["1.2.3", "1.2.3", true],
  ["1.2.3", "1.2.34", false],
  ["*-RC*", "2.0.0-rc.1", true],
  ["1.*.1", "1.1", false],
  ["1.*.1", "1..1", true],
  ["a*a", "a", false],
  ["*b*b", "abab", true],
  ["*", "", true],
  ["1.+", "1.1", false],
])("%s and %s: %s", (pattern, text, expected) => {
  expect(textPattern(pattern)(text)).toBe(expected);
});

test("a pattern with many stars costs no more than a short one", () => {
  expect(textPattern("*a".repeat(120))(`${"a".repeat(119)}b`)).toBe(false);
});
