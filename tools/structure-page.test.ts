import { expect, test } from "vitest";
import type { Figures } from "./source-figures.ts";
import { structureBreaches, structureTable, withTable } from "./structure-page.ts";

const SPREAD = { median: 1, p95: 2, max: 3 };

function figures(changes: Partial<Figures>): Figures {
  return {
    files: 1,
    code: 1_000,
    fileLines: SPREAD,
    functionLines: SPREAD,
    longFunctions: 0,
    largestPort: 0,
    comments: 10,
    testRatio: 1,
    casts: 0,
    anys: 0,
    plainErrors: 0,
    ...changes,
  };
}

const WIRING = "hosts/registry/src/wiring";
const measured = new Map([["packages/a", figures({})]]);
const page = withTable(
  "# Page\n\n| package |\n| --- |\n| x |\n\nThe end.\n",
  structureTable(measured),
);

test("the table of a page is replaced, and nothing else", () => {
  expect(page).toMatch(/^# Page\n\n\| package \| files .*\n\nThe end\.\n$/s);
  expect(page).toContain("| packages/a | 1 | 1000 | 1 / 2 / 3 |");
  expect(page).not.toContain("| x |");
});

test.each([
  ["the same", new Map(measured), 0],
  ["a tenth more lines", new Map([["packages/a", figures({ code: 1_100 })]]), 0],
  ["a fifth more lines", new Map([["packages/a", figures({ code: 1_200 })]]), 1],
  ["a package without a row", new Map([...measured, ["packages/b", figures({})]]), 1],
  ["a long function", new Map([["packages/a", figures({ longFunctions: 1 })]]), 1],
  ["too much composition", new Map([[WIRING, figures({ code: 2_801 })]]), 2],
] as const)("compares the page with the source: %s", (_case, packages, breaches) => {
  expect(structureBreaches(packages, page)).toHaveLength(breaches);
});
