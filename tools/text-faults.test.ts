import { expect, test } from "vitest";
import { textFaults } from "./text-faults.ts";

const PNPM = "pnpm@12.21.0";

test.each([
  `${"<".repeat(7)} HEAD`,
  "=".repeat(7),
  `${">".repeat(7)} topic`,
  `${"|".repeat(7)} base`,
  `| ${"<".repeat(7)} HEAD                       |`,
  `| ${"=".repeat(7)}                            |`,
  `  ${"<".repeat(7)} HEAD`,
  `  \\${"=".repeat(7)}`,
  `${"> ".repeat(7)}topic`,
  `${"> ".repeat(7)}| a cell of a table |`,
])("refuses the mark of a merge: %s", (line) => {
  expect(textFaults(`before\n${line}\nafter`, PNPM)).toEqual([
    "2: a merge left this mark: resolve the conflict",
  ]);
});

test.each([
  "pnpm@12 test",
  "-y pnpm@12 test",
  "-y pnpm@12.20.0 test",
  "-y pnpm test",
  "pnpm@12.21.0 test",
  "@sealhouse/registry config check",
])("refuses a command that asks, or is fetched again: npx %s", (words) => {
  expect(textFaults(`npx ${words}`, PNPM)).toEqual([expect.stringMatching(/^1: .*write npx -y /)]);
});

test.each([
  `npx -y ${PNPM} test`,
  `RUN npx --yes ${PNPM} install`,
  "npx -y @sealhouse/registry token create",
  "npx left-pad@1.2.3",
  "=".repeat(8),
  "> > a quote in a quote",
  "a ? b : c >>> 1",
])("accepts %s", (line) => {
  expect(textFaults(line, PNPM)).toEqual([]);
});
