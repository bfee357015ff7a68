// Where the time of the last `pnpm test` went: `pnpm test:times [FILES]`. A line for each of the
// dearest files, 40 unless told, with the processes that it started, and the sum by folder. The time
// of the processor does not depend on what else the machine does.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { PROCESSES, REPORT } from "./last-run.ts";
import type { FileProcesses, Waiting } from "./last-run.ts";

type Timed = { readonly file: string; readonly seconds: number; readonly tests: number };

const WAITINGS: readonly Waiting[] = ["host", "client", "browser", "database", "server", "script"];
const shown = Number(process.argv[2] ?? 40);

if (!existsSync(REPORT)) {
  console.error("No run left a report. Run the whole suite first: pnpm test");
  process.exitCode = 1;
} else {
  const files = timedFiles(readFileSync(REPORT, "utf8"));
  const processes = processesByFile();
  const costOf = ({ file, seconds }: Timed) => processes.get(file)?.cpuSeconds ?? seconds;
  print(
    files.toSorted((a, b) => costOf(b) - costOf(a)),
    processes,
  );
}

function timedFiles(json: string): readonly Timed[] {
  type Result = {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly unknown[];
  };
  const { testResults } = JSON.parse(json) as { readonly testResults: readonly Result[] };
  return testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    file: relative("", name),
    seconds: (endTime - startTime) / 1000,
    tests: assertionResults.length,
  }));
}

function processesByFile(): ReadonlyMap<string, FileProcesses> {
  if (!existsSync(PROCESSES)) return new Map();
  const lines = readFileSync(PROCESSES, "utf8").trimEnd().split("\n");
  return new Map(
    lines.map((line) => {
      const of = JSON.parse(line) as FileProcesses;
      return [of.file, of];
    }),
  );
}

function print(files: readonly Timed[], processes: ReadonlyMap<string, FileProcesses>): void {
  console.log(
    "seconds  processor  tests  file (processes that it started, and the seconds that they lived)",
  );
  for (const { file, seconds, tests } of files.slice(0, shown)) {
    const of = processes.get(file);
    const cpu = (of?.cpuSeconds ?? 0).toFixed(1).padStart(9);
    console.log(`${seconds.toFixed(1).padStart(7)}  ${cpu}  ${String(tests).padStart(5)}  ${file}`);
    const words = startedBy(of?.started ?? {});
    if (words !== "") console.log(`                           ${words}`);
  }
  const folders = Object.groupBy(files, ({ file }) => file.split("/").slice(0, 2).join("/"));
  const sums = Object.entries(folders).map(([folder, of = []]) => ({
    folder,
    count: of.length,
    seconds: of.reduce((sum, { seconds }) => sum + seconds, 0),
    cpu: of.reduce((sum, { file }) => sum + (processes.get(file)?.cpuSeconds ?? 0), 0),
  }));
  console.log("\nseconds  processor  files  folder");
  for (const { folder, count, seconds, cpu } of sums.toSorted((a, b) => b.seconds - a.seconds)) {
    const times = `${seconds.toFixed(1).padStart(7)}  ${cpu.toFixed(1).padStart(9)}`;
    console.log(`${times}  ${String(count).padStart(5)}  ${folder}`);
  }
}

function startedBy(processes: FileProcesses["started"]): string {
  return WAITINGS.flatMap((kind) => {
    const sum = processes[kind];
    return sum === undefined ? [] : [`${kind} ${sum.count} (${sum.seconds.toFixed(1)} s)`];
  }).join(", ");
}
