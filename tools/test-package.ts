// Runs one kind of tests of one package: `node ../../tools/test-package.ts unit|database|clients`
// in the package's folder. Words after it select files, options go to vitest:
// `pnpm --filter @sealhouse/jobs test leases -t "fence"`. Writes `.test-results/<script>.json`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { kindOfTest, SCRIPT_OF_KIND, testFilesOf } from "./test-kinds.ts";
import type { TestKind } from "./test-kinds.ts";
import { parseResults, reportPath } from "./test-results.ts";

/** The report of a package that has no tests of the kind. */
const NO_TESTS = { numPassedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

const root = dirname(import.meta.dirname);
const folder = relative(root, process.cwd());
const [kind = "unit", ...rest] = process.argv.slice(2);
if (!isTestKind(kind)) throw new Error(`"${kind}" is not a kind of tests`);
process.chdir(root);
process.exitCode = runTests(folder, kind, rest);

function isTestKind(word: string): word is TestKind {
  return Object.hasOwn(SCRIPT_OF_KIND, word);
}

function runTests(home: string, tests: TestKind, words: readonly string[]): number {
  const report = reportPath(home, SCRIPT_OF_KIND[tests]);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const firstOption = words.findIndex((word) => word.startsWith("-"));
  const names = words.slice(0, firstOption < 0 ? words.length : firstOption);
  const files = testFilesOf(home)
    .filter((file) => kindOfTest(file) === tests)
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
  if (files.length === 0) {
    writeFileSync(report, JSON.stringify(NO_TESTS));
    console.log(`${home}: no ${tests} tests${names.length > 0 ? " of that name" : ""}`);
    return names.length > 0 ? 1 : 0;
  }
  const workers = process.env["SEALHOUSE_TEST_WORKERS"];
  const { status } = spawnSync(
    join(root, "node_modules/.bin/vitest"),
    [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
      ...files,
      ...words.slice(names.length),
    ],
    { stdio: "inherit" },
  );
  if (existsSync(report)) {
    const { skipped } = parseResults(readFileSync(report, "utf8"));
    if (skipped > 0 && words.length === 0) console.log(`SKIPPED: ${home}: ${skipped} tests`);
  }
  return status ?? 1;
}
