import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PAGE = new URL("../../../docs/npm-clients.md", import.meta.url);
const SUITES = new URL("npm-clients/", import.meta.url);

/** Rows of the table "Test coverage". */
const rows = readFileSync(PAGE, "utf8")
  .split("## Test coverage")[1]
  ?.split("\n## ")[0]
  ?.split("\n")
  .flatMap((line) => {
    const [, number = "", what = "", by = ""] = line.split("|").map((cell) => cell.trim());
    return /^\d+$/.test(number) ? [{ number: Number(number), what, by }] : [];
  });

test("the page lists each of the sixty cases once, in order", () => {
  expect(rows?.map(({ number }) => number)).toEqual(
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
});

test("the suites that the page names are there", () => {
  const suites = rows?.flatMap(({ by }) => by.match(/[\w./-]+\.test\.ts/g) ?? []) ?? [];
  expect(new Set(suites).size).toBeGreaterThan(15);
  const missing = suites.filter((path) => !existsSync(fileURLToPath(new URL(path, SUITES))));
  expect(missing).toEqual([]);
});
