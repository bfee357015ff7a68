import { expect, test } from "vitest";
import { isDeeperThan } from "./json-depth.ts";

test.each([
  [2, "[[]]", false],
  [1, "[[]]", true],
  [1, '{"a":{}}', true],
  [1, "[][][]", false],
  [1, '["[[[["]', false],
  [1, '["\\"[[[["]', false],
  [1, '["\\\\",[]]', true],
  [0, "1", false],
])("at most %i levels: %s", (levels, json, deeper) => {
  expect(isDeeperThan(levels, Buffer.from(json))).toBe(deeper);
});
