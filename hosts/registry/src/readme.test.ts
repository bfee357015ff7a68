import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const at = (path: string) => new URL(path, import.meta.url);

test("the README names files that exist", () => {
  const readme = readFileSync(at("../README.md"), "utf8");
  const table = /^## Files$([^]*?)^## /m.exec(readme)?.[1] ?? "";
  const names = [...table.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => name !== "src/" && !existsSync(at(name)))).toEqual([]);
});

test("the README of the workspace lists every public package", () => {
  const readme = readFileSync(at("../../../README.md"), "utf8");
  const names = readdirSync(at("../../../packages")).filter((name) => name !== "benchmarks");
  expect(names.filter((name) => !readme.includes(`[\`${name}\`](packages/${name})`))).toEqual([]);
});
