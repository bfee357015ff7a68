// Vitest loads this before each test file. It counts the processes that the file starts, and appends
// them to the file that `SEALHOUSE_TEST_PROCESSES` names. `pnpm test:times` reads it.
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import { afterAll, expect } from "vitest";
import { kindOfProcess } from "./last-run.ts";
import type { FileProcesses, Waiting } from "./last-run.ts";

type Started = { readonly kind: Waiting; readonly at: number; endedAt?: number };

const recorded = process.env["SEALHOUSE_TEST_PROCESSES"];
/** Files of one worker share its process, so that there is one subscription for all. */
const shared = globalThis as { sealhouseStarted?: Started[] };

if (recorded !== undefined) {
  if (shared.sealhouseStarted === undefined) watch((shared.sealhouseStarted = []));
  const started = shared.sealhouseStarted;
  started.length = 0;
  afterAll(() => {
    if (started.length === 0) return;
    const line: FileProcesses = {
      file: relative("", expect.getState().testPath ?? ""),
      started: totals(started),
    };
    mkdirSync(dirname(recorded), { recursive: true });
    appendFileSync(recorded, `${JSON.stringify(line)}\n`);
  });
}

function watch(started: Started[]): void {
  subscribe("child_process", (message) => {
    const child = (message as { process: ChildProcess }).process;
    child.once("spawn", () => {
      const entry: Started = {
        kind: kindOfProcess(child.spawnfile, child.spawnargs),
        at: performance.now(),
      };
      started.push(entry);
      child.once("exit", () => (entry.endedAt = performance.now()));
    });
  });
}

function totals(started: readonly Started[]): FileProcesses["started"] {
  const sums: Partial<Record<Waiting, { count: number; seconds: number }>> = {};
  for (const { kind, at, endedAt = performance.now() } of started) {
    const sum = (sums[kind] ??= { count: 0, seconds: 0 });
    sum.count += 1;
    sum.seconds += (endedAt - at) / 1000;
  }
  return sums;
}
