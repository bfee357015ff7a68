// The outcome of a test run, from vitest's JSON reports.
import { join } from "node:path";

export type FailedTest = {
  readonly file: string;
  /** Undefined: the file could not be loaded. */
  readonly name?: string;
};

export type TestResults = {
  readonly passed: number;
  readonly failed: readonly FailedTest[];
  readonly skipped: number;
};

type Report = {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
};

/** Where a task of turbo writes its report. */
export function reportPath(folder: string, script: string): string {
  return join(folder, ".test-results", `${script.replace(":", "-")}.json`);
}

/** Above this number of failed files nothing runs again: so many failures have a common cause. */
const RETRIED_FILES_MAX = 3;

export function parseResults(json: string): TestResults {
  const report = JSON.parse(json) as Report;
  return {
    passed: report.numPassedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failed: report.testResults.flatMap(({ name: file, status, assertionResults }) => {
      const tests = assertionResults.filter((result) => result.status === "failed");
      if (tests.length > 0) return tests.map(({ fullName }) => ({ file, name: fullName }));
      return status === "failed" ? [{ file }] : [];
    }),
  };
}

/** Returns the failed files, if they are few enough to be run once more. */
export function filesToRetry({ failed }: TestResults): readonly string[] {
  const files = [...new Set(failed.map(({ file }) => file))];
  return files.length <= RETRIED_FILES_MAX ? files : [];
}

/** Counts the failed tests as passed if their files passed alone; the first failures remain
 * otherwise. A second run that did not execute every failed test proves nothing. */
export function afterRetry(first: TestResults, second: TestResults): TestResults {
  const ranAll = second.passed >= first.failed.length;
  if (second.failed.length > 0 || !ranAll) return first;
  return { ...first, passed: first.passed + first.failed.length, failed: [] };
}
