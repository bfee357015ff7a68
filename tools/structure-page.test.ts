import { expect, test } from "vitest";
import type { PackageRow } from "./structure-page.ts";
import { structureBreaches, structureTable, withTable } from "./structure-page.ts";

const SPREAD = { median: 1, p95: 2, max: 3 };

function figures(changes: Partial<PackageRow>): PackageRow {
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
    rooms: { arrows: 3, mutual: 0 },
    ...changes,
  };
}

const WIRING = "hosts/registry/src/wiring";
const measured = new Map([["packages/a", figures({})]]);
const LIMITS = `# Page

| what | limit |
| --- | --- |
| lines of a host, with comments | 7,000: it composes |
| lines of code in \`${WIRING}\` | 1,800 |
| functions of more than 70 lines | 0 |
| methods of a port | 7 |
| lines of tests for a line of code | 0.3 at least |
| the same of \`packages/database\` | 0.4 at least |
| pairs of rooms that import each other | 0 |
`;
const page = withTable(
  `${LIMITS}\n| package |\n| --- |\n| x |\n\nThe end.\n`,
  structureTable(measured),
);

test("the table of a page is replaced, and nothing else", () => {
  expect(page).toMatch(/^# Page\n\n.*\n\n\| package \| files .*\n\nThe end\.\n$/s);
  expect(page).toContain("| packages/a | 1 | 1000 | 1 / 2 / 3 |");
  expect(page).not.toContain("| x |");
});

test.each([
  ["the same", new Map(measured), 0],
  ["a tenth more lines", new Map([["packages/a", figures({ code: 1_100 })]]), 0],
  ["a fifth more lines", new Map([["packages/a", figures({ code: 1_200 })]]), 1],
  ["a package without a row", new Map([...measured, ["packages/b", figures({})]]), 1],
  ["a long function", new Map([["packages/a", figures({ longFunctions: 1 })]]), 1],
  ["too few tests", new Map([["packages/a", figures({ testRatio: 0.2 })]]), 1],
  [
    "too few tests for the limit of the package",
    new Map([...measured, ["packages/database", figures({ testRatio: 0.3 })]]),
    2,
  ],
  [
    "commands that the host tests",
    new Map([
      ["packages/a", figures({})],
      ["packages/command-line", figures({ testRatio: 0 })],
    ]),
    1,
  ],
  [
    "rooms that import each other",
    new Map([["packages/a", figures({ rooms: { arrows: 2, mutual: 1 } })]]),
    1,
  ],
  ["too much composition", new Map([[WIRING, figures({ code: 2_801 })]]), 2],
] as const)("compares the page with the source: %s", (_case, packages, breaches) => {
  expect(structureBreaches(packages, page)).toHaveLength(breaches);
});

test.each([
  ["another limit", "| methods of a port | 7 |", "| methods of a port | 8 |", "limit 7"],
  [
    "a limit in words",
    "| functions of more than 70 lines | 0 |",
    "| functions of more than 70 lines | none |",
    "limit 0",
  ],
  ["a missing limit", "| lines of tests for a line of code | 0.3 at least |\n", "", "limit 0.3"],
  [
    "another limit of a package",
    "| the same of `packages/database` | 0.4",
    "| the same of `packages/database` | 0.2",
    "limit 0.4",
  ],
  ["an old limit of the host", "7,000", "6,500", "limit 7000"],
])("refuses a page with %s", (_, before, after, words) => {
  expect(page).toContain(before);
  expect(structureBreaches(measured, page.replace(before, after))).toEqual([
    expect.stringContaining(words),
  ]);
});
