import { expect, test } from "vitest";
import { afterRetry, filesToRetry, parseResults, reportPath } from "./test-results.ts";

const report = JSON.stringify({
  numPassedTests: 7,
  numPendingTests: 2,
  numTodoTests: 1,
  testResults: [
    { name: "a.test.ts", status: "passed", assertionResults: [] },
    {
      name: "b.test.ts",
      status: "failed",
      assertionResults: [
        { fullName: "b one", status: "failed" },
        { fullName: "b two", status: "passed" },
      ],
    },
    { name: "c.test.ts", status: "failed", assertionResults: [] },
  ],
});
const first = parseResults(report);

test("a report lists failed tests and files that could not be loaded", () => {
  expect(first).toEqual({
    passed: 7,
    skipped: 3,
    failed: [{ file: "b.test.ts", name: "b one" }, { file: "c.test.ts" }],
  });
});

test("up to three failed files are run once more", () => {
  expect(filesToRetry(first)).toEqual(["b.test.ts", "c.test.ts"]);
  const failed = ["a", "b", "c", "d"].map((file) => ({ file }));
  expect(filesToRetry({ ...first, failed })).toEqual([]);
});

test.each([
  ["passes", { passed: 3, skipped: 0, failed: [] }, 9, 0],
  ["fails again", { passed: 1, skipped: 0, failed: [{ file: "c.test.ts" }] }, 7, 2],
  ["runs nothing", { passed: 0, skipped: 0, failed: [] }, 7, 2],
])("when the second run %s, the failures are counted accordingly", (_, second, passed, failed) => {
  const results = afterRetry(first, second);
  expect([results.passed, results.failed.length, results.skipped]).toEqual([passed, failed, 3]);
});

test("the report of a task is in the folder of its package", () => {
  expect(reportPath("packages/jobs", "test:database")).toBe(
    "packages/jobs/.test-results/test-database.json",
  );
});
