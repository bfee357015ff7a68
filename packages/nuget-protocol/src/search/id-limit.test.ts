import { expect, test } from "vitest";
import { isWithinLimit } from "./id-limit.ts";

test.each([
  ["Acme.*", "acme.json", true],
  ["acme.*", "ACME", false],
  ["acme.*", "acme.", true],
  ["*json", "Acme.Json", true],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["a*b*a", "aba", true],
  ["a*b*a", "ab", false],
  ["*a*b*", "xbxaxbx", true],
  ["*a*b*", "ba", false],
  ["acme/**", "acme", true],
  ["acme/**", "acme.json", false],
  ["acme/*", "acme", false],
  ["**", "anything", true],
  ["a.c", "abc", false],
])("the pattern %s and the id %s: %s", (pattern, id, isWithin) => {
  expect(isWithinLimit({ names: [pattern] }, id)).toBe(isWithin);
});

test("no limit covers every id, and no pattern covers none", () => {
  expect(isWithinLimit({}, "acme")).toBe(true);
  expect(isWithinLimit({ names: [] }, "acme")).toBe(false);
});
