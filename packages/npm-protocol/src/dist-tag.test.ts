import { expect, test } from "vitest";
import { parseDistTag } from "./dist-tag.ts";

test.each(["latest", "next", "beta.1", "release-2024", "v", "constructor"])(
  "%j is a tag",
  (text) => {
    expect(parseDistTag(text)).toBe(text);
  },
);

test.each([
  ["", "empty"],
  ["1.0.0", "a version"],
  ["v2", "a range"],
  ["1.x", "a range"],
  ["*", "a range"],
  ["x", "a range"],
  ["a/b", "two segments"],
  ["a b", "in need of encoding"],
  ["a%20", "in need of encoding"],
  ["zo\u00eb", "in need of encoding"],
  ["__proto__", "no own key"],
  ["..", "a step upwards"],
  ["t".repeat(129), "too long"],
])("%j is not a tag: it is %s", (text) => {
  expect(parseDistTag(text)).toBeUndefined();
});
