import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const urlOf = (path: string) => new URL(path, import.meta.url);

test("the README names files that exist", () => {
  const readme = readFileSync(urlOf("../README.md"), "utf8");
  const table = /^## Files$([^]*?)^## /m.exec(readme)?.[1] ?? "";
  const names = [...table.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => name !== "src/" && !existsSync(urlOf(name)))).toEqual([]);
});

test("the README of the workspace lists every public package", () => {
  const readme = readFileSync(urlOf("../../../README.md"), "utf8");
  const names = readdirSync(urlOf("../../../packages")).filter((name) => name !== "benchmarks");
  expect(names.filter((name) => !readme.includes(`[\`${name}\`](packages/${name})`))).toEqual([]);
});
