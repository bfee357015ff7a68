import { expect, test } from "vitest";
import { importCircles } from "./import-circles.ts";

const circlesOf = (files: Readonly<Record<string, string>>) =>
  importCircles(new Map(Object.entries(files)));

test("files that import each other in one direction are not a circle", () => {
  expect(
    circlesOf({
      "a/one.ts": 'import { two } from "./two.ts";\nimport { b } from "../b.ts";',
      "a/two.ts": 'export { b } from "../b.ts";',
      "b.ts": 'import { join } from "node:path";',
    }),
  ).toEqual([]);
});

test.each([
  ["values", 'import { two } from "./two.ts";'],
  ["types", 'import type { Two } from "./two.ts";'],
  ["exports", 'export type { Two } from "./two.ts";'],
  ["dynamic imports", 'const two = await import("./two.ts");'],
])("a circle of %s is found", (_, line) => {
  const files = { "one.ts": line, "two.ts": 'import { three } from "./three.ts";' };
  expect(circlesOf({ ...files, "three.ts": 'import { one } from "./one.ts";' })).toEqual([
    ["one.ts", "three.ts", "two.ts"],
  ]);
});
