// The whole suite, as README and CI run it: the checks, then every test. The last line counts both.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { runChecks } from "./check.ts";
import { clientsMark, missingClients } from "./client-programs.ts";
import { PROCESSES, REPORT } from "./last-run.ts";
import { runStep } from "./run-step.ts";
import { afterRetry, filesToRetry, parseResults, reportPath } from "./test-results.ts";
import type { TestResults } from "./test-results.ts";

/**
 * Tests wait for processes, servers and times three quarters of their time: with two workers for
 * each processor, the processors have work all the time.
 */
const WORKERS = availableParallelism() * 2;

const checks = await runChecks();
const tests = await runTests();
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed + skippedForNoReason(tests.skipped);
console.log(`${passed} passed, ${failed} failed, ${tests.skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * Runs all packages and all kinds of tests in one vitest: a test that waits for a client leaves its
 * processor to one that computes. `turbo test` starts a vitest for each package, which pays where
 * its cache knows most results. Files that fail run once more, alone. When they pass then, the run
 * passes and names them.
 */
async function runTests(): Promise<{ passed: number; failed: number; skipped: number }> {
  for (const left of [PROCESSES, REPORT]) rmSync(left, { force: true });
  const ok = await runStep({
    name: "tests",
    command: "vitest",
    args: [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${REPORT}`,
      `--maxWorkers=${WORKERS}`,
    ],
    env: { SEALHOUSE_TEST_CLIENTS: clientsMark(), SEALHOUSE_TEST_PROCESSES: PROCESSES },
  });
  if (!existsSync(REPORT)) {
    console.log("FAILED: the report of the tests was not written");
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const first = parseResults(readFileSync(REPORT, "utf8"));
  const results = ok ? first : await retried(first);
  // A run that failed without a failed test, by an unhandled error for example, counts as one.
  const unexplained = !ok && first.failed.length === 0 ? 1 : 0;
  return { ...results, failed: results.failed.length + unexplained };
}

async function retried(first: TestResults): Promise<TestResults> {
  const files = filesToRetry(first);
  if (files.length === 0) return first;
  const report = reportPath("tools", "retry");
  rmSync(report, { force: true });
  const ok = await runStep({
    name: "failed tests again",
    command: "vitest",
    args: [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      "--maxWorkers=1",
      ...files,
    ],
  });
  if (!ok || !existsSync(report)) return first;
  const results = afterRetry(first, parseResults(readFileSync(report, "utf8")));
  if (results.failed.length === 0) {
    for (const { file, name = "the file" } of first.failed) {
      console.log(`FLAKY: ${relative("", file)}: ${name} failed, then passed alone`);
    }
  }
  return results;
}

/** In CI a suite may be left out only where its client is missing. */
function skippedForNoReason(skipped: number): number {
  if (skipped === 0) return 0;
  const missing = missingClients();
  if (missing.length > 0) {
    console.log(`SKIPPED: ${skipped} tests; missing here: ${missing.join(", ")}`);
    return 0;
  }
  if (process.env["CI"] === undefined) return 0;
  console.log(`FAILED: ${skipped} tests were skipped although every client they need is here`);
  return 1;
}
