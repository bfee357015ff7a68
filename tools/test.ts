// The whole suite, as README and CI run it: the checks, then every test. The last line counts both.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChecks } from "./check.ts";
import { runStep } from "./run-step.ts";

const checks = await runChecks();
const tests = await runTests();
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed + skippedForNoReason(tests.skipped);
console.log(`${passed} passed, ${failed} failed, ${tests.skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

async function runTests(): Promise<{ passed: number; failed: number; skipped: number }> {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-tests-"));
  const results = join(folder, "results.json");
  const ok = await runStep({
    name: "tests",
    command: "vitest",
    args: ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${results}`],
  });
  const count = existsSync(results) ? parseResults(readFileSync(results, "utf8")) : undefined;
  rmSync(folder, { recursive: true });
  if (!count) return { passed: 0, failed: 1, skipped: 0 };
  // A file that cannot even be loaded has no tests to count, but the run has failed all the same.
  return { ...count, failed: ok ? count.failed : Math.max(count.failed, 1) };
}

function parseResults(text: string): { passed: number; failed: number; skipped: number } {
  const results = JSON.parse(text) as Record<string, number>;
  return {
    passed: results["numPassedTests"] ?? 0,
    failed: results["numFailedTests"] ?? 0,
    skipped: (results["numPendingTests"] ?? 0) + (results["numTodoTests"] ?? 0),
  };
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
