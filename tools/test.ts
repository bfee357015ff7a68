// The whole suite, as README and CI run it: the checks, then every test. The last line counts both.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, relative } from "node:path";
import { runChecks } from "./check.ts";
import { clientsMark, missingClients } from "./client-programs.ts";
import { runStep } from "./run-step.ts";
import { kindOfTest, SCRIPT_OF_KIND, testFilesOf } from "./test-kinds.ts";
import { afterRetry, filesToRetry, parseResults, reportPath, sumOf } from "./test-results.ts";
import type { TestResults } from "./test-results.ts";

const TASKS = ["test", "test:database", "test:clients", "test:tools"];

const checks = await runChecks();
const tests = await runTests();
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed + skippedForNoReason(tests.skipped);
console.log(`${passed} passed, ${failed} failed, ${tests.skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

/** Files that fail run once more, alone. When they pass then, the run passes and names them. */
async function runTests(): Promise<{ passed: number; failed: number; skipped: number }> {
  const reports = expectedReports();
  for (const report of reports) rmSync(report, { force: true });
  const ok = await runStep({
    name: "tests",
    command: "turbo",
    // One task at a time: its vitest keeps the cores busy with two files at once.
    args: ["run", ...TASKS, "--concurrency=1", "--continue", "--output-logs=new-only"],
    env: { SEALHOUSE_TEST_CLIENTS: clientsMark() },
  });
  const written = reports.filter((report) => existsSync(report));
  const missing = reports.length - written.length;
  for (const report of reports) {
    if (!written.includes(report)) console.log(`FAILED: ${report} was not written`);
  }
  const first = sumOf(written.map((report) => parseResults(readFileSync(report, "utf8"))));
  const results = ok ? first : await retried(first);
  const reported = results.failed.length + missing;
  // A run that failed without a failed test, by an unhandled error for example, counts as one.
  const unexplained = !ok && first.failed.length === 0 && missing === 0 ? 1 : 0;
  return { ...results, failed: reported + unexplained };
}

/** Every task of turbo that runs tests writes one, even when its result comes from the cache. */
function expectedReports(): readonly string[] {
  const folders = globSync(["packages/*/package.json", "hosts/*/package.json"]).map(dirname);
  return [...folders, "tools"].flatMap((folder) => {
    const kinds = new Set(testFilesOf(folder).map(kindOfTest));
    return [...kinds.add("unit")].map((kind) => reportPath(folder, SCRIPT_OF_KIND[kind]));
  });
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
