import { globSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const TICKS_PER_SECOND = 100;
const IDLE_FOR_MS = 3_000;
const IDLE_CPU_SECONDS = 0.02;
const IDLE_WITHIN_MS = 60_000;

/** CPU seconds (user and system) that a process has used so far, from `/proc/<pid>/stat`. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same to the nanosecond, for what takes milliseconds: of all threads that still run. */
export function threadSeconds(pid: number): number {
  const figures = globSync(`/proc/${pid}/task/*/schedstat`).map((path) =>
    Number(readFileSync(path, "utf8").split(" ")[0]),
  );
  return figures.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9;
}

/** Waits until the process has used next to no CPU for a while. */
export async function untilIdle(pid: number): Promise<void> {
  const giveUpAt = performance.now() + IDLE_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    const before = cpuSeconds(pid);
    await delay(IDLE_FOR_MS);
    if (cpuSeconds(pid) - before <= IDLE_CPU_SECONDS) return;
  }
  throw new Error(`process ${pid} does not come to rest`);
}

/** Resident memory now, in MiB. */
export function residentMib(pid: number): number {
  return statusKib(pid, "VmRSS") / 1024;
}

/** The most resident memory since `resetPeak`, in MiB. */
export function peakMib(pid: number): number {
  return statusKib(pid, "VmHWM") / 1024;
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function statusKib(pid: number, field: string): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(
    new RegExp(`^${field}:\\s+(\\d+)`, "m"),
  );
  return Number(line?.[1] ?? Number.NaN);
}
