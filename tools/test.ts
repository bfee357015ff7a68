// The whole suite, as README and CI run it: the checks, then every test. The last line counts both.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { runChecks } from "./check.ts";
import { runStep } from "./run-step.ts";
import { afterRetry, filesToRetry, parseResults } from "./test-results.ts";
import type { TestResults } from "./test-results.ts";

const checks = await runChecks();
const tests = await runTests();
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed + skippedForNoReason(tests.skipped);
console.log(`${passed} passed, ${failed} failed, ${tests.skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

/** Files that fail run once more, alone. When they pass then, the run passes and names them. */
async function runTests(): Promise<{ passed: number; failed: number; skipped: number }> {
  const first = await runVitest("tests", []);
  if (!first) return { passed: 0, failed: 1, skipped: 0 };
  const files = filesToRetry(first.results);
  const second = files.length > 0 ? await runVitest("failed tests again", files) : undefined;
  if (!second) return countsOf(first);
  const results = afterRetry(first.results, second.results);
  if (results.failed.length === 0 && second.ok) {
    for (const { file, name = "the file" } of first.results.failed) {
      console.log(`FLAKY: ${relative("", file)}: ${name} failed, then passed alone`);
    }
    return countsOf({ ok: true, results });
  }
  return countsOf(first);
}

type TestRun = { readonly ok: boolean; readonly results: TestResults };

/** Undefined when vitest wrote no report. */
async function runVitest(name: string, files: readonly string[]): Promise<TestRun | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-tests-"));
  const report = join(folder, "results.json");
  const alone = files.length > 0 ? ["--maxWorkers=1"] : [];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const args = ["run", ...reporters, ...alone, ...files];
  const ok = await runStep({ name, command: "vitest", args });
  const results = existsSync(report) ? parseResults(readFileSync(report, "utf8")) : undefined;
  rmSync(folder, { recursive: true });
  return results && { ok, results };
}

/** A run that failed without a failed test, by an unhandled error for example, counts as one. */
function countsOf({ ok, results }: TestRun) {
  return { ...results, failed: Math.max(results.failed.length, ok ? 0 : 1) };
}

/** In CI a suite may be left out only where its client is missing. */
function skippedForNoReason(skipped: number): number {
  if (process.env["CI"] === undefined || skipped === 0) return 0;
  const missing = [
    "docker-registry",
    "dotnet",
    "npm",
    "openssl",
    "pkcs11-tool",
    "promtool",
    "skopeo",
    "softhsm2-util",
  ].filter((tool) => !isOnPath(tool));
  if (globSync("/usr/lib/postgresql/*/bin/initdb").length === 0) missing.push("PostgreSQL");
  if (!existsSync("/usr/sbin/mariadbd")) missing.push("MariaDB");
  if (missing.length > 0) {
    console.log(`SKIPPED: ${skipped} tests; missing here: ${missing.join(", ")}`);
    return 0;
  }
  console.log(`FAILED: ${skipped} tests were skipped although every client they need is here`);
  return 1;
}

function isOnPath(tool: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;
}
