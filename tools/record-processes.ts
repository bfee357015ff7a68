// Vitest loads this before each test file. It counts the processes that the file starts, and the time
// of the processor, and appends them to the file that `SEALHOUSE_TEST_PROCESSES` names. `pnpm
// test:times` reads it.
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { afterAll, expect } from "vitest";
import { kindOfProcess } from "./last-run.ts";
import type { FileProcesses, Waiting } from "./last-run.ts";

type Started = { readonly kind: Waiting; readonly at: number; endedAt?: number };

/** Clock ticks of Linux in a second, in `/proc`. */
const TICKS_PER_SECOND = 100;

const recorded = process.env["SEALHOUSE_TEST_PROCESSES"];
/** Files of one worker share its process, so that there is one subscription for all. */
const shared = globalThis as { sealhouseStarted?: Started[] };

if (recorded !== undefined) {
  if (shared.sealhouseStarted === undefined) watch((shared.sealhouseStarted = []));
  const started = shared.sealhouseStarted;
  started.length = 0;
  const cpuBefore = cpuSeconds();
  afterAll(() => {
    const line: FileProcesses = {
      file: relative("", expect.getState().testPath ?? ""),
      cpuSeconds: cpuSeconds() - cpuBefore,
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

/**
 * The time of the processor, in seconds, that this worker and its ended children used. Servers that
 * still run are not in it, and neither are processes that outlive their parents.
 */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + childSeconds();
}

function childSeconds(): number {
  if (!existsSync("/proc/self/stat")) return 0;
  // The name of the program, in parentheses, may have spaces. Fields 16 and 17 of the line follow it.
  const [, rest = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const fields = rest.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
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
