import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const PAGE = new URL("../../../docs/oci.md", import.meta.url);
const ROOT = new URL("../../../", import.meta.url);
const HERE = new URL("./", import.meta.url);
const CONFORMANCE = "oci-conformance.test.ts";

const section = readFileSync(PAGE, "utf8").split("## Test coverage")[1]?.split("\n## ")[0] ?? "";

/** Rows of the table "Test coverage". */
const rows = section.split("\n").flatMap((line) => {
  const [, number = "", , by = ""] = line.split("|").map((cell) => cell.trim());
  return /^\d+$/.test(number) ? [{ number: Number(number), by }] : [];
});

test("the page lists each of the 64 cases once, in order", () => {
  expect(rows.map(({ number }) => number)).toEqual(
    Array.from({ length: 64 }, (_, index) => index + 1),
  );
});

test("the suites that the page names are there", () => {
  const suites = [...rows.map(({ by }) => by), section.split("| #")[0] ?? ""].flatMap(
    (text) => text.match(/[\w./-]+\.test\.ts/g) ?? [],
  );
  expect(suites).toContain(CONFORMANCE);
  expect(new Set(suites).size).toBeGreaterThan(15);
  const missing = suites.filter(
    (path) => !existsSync(new URL(path, path.startsWith("packages/") ? ROOT : HERE)),
  );
  expect(missing).toEqual([]);
});

test("each case is run by something, or waits for sources", () => {
  const unheld = rows.filter(({ by }) => !/\bC\b|\.test\.ts|`pnpm|waits for sources/.test(by));
  expect(unheld).toEqual([]);
  const waiting = rows.filter(({ by }) => by === "waits for sources");
  expect(waiting.map(({ number }) => number)).toEqual([51, 52, 53, 54, 55, 56]);
});
