import { globSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const TICKS_PER_SECOND = 100;
const IDLE_FOR_MS = 3_000;
const IDLE_CPU_SECONDS = 0.02;
const IDLE_WITHIN_MS = 60_000;

/** CPU seconds (user and system) that a process has used so far, from `/proc/<pid>/stat`. */
export function cpuSeconds(pid: number): number {
  const { user, system } = cpuTimes(pid);
  return user + system;
}

/** CPU seconds that a process has used in user mode so far. */
export function userCpuSeconds(pid: number): number {
  return cpuTimes(pid).user;
}

function cpuTimes(pid: number): { readonly user: number; readonly system: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    user: Number(fields[11]) / TICKS_PER_SECOND,
    system: Number(fields[12]) / TICKS_PER_SECOND,
  };
}

/** CPU seconds of all processes of a program that descend from this process and still run. */
export function cpuSecondsOf(program: string): number {
  const parents = new Map<number, number>();
  const pids: number[] = [];
  for (const path of globSync("/proc/[0-9]*/stat")) {
    const stat = readIfThere(path);
    const pid = Number(path.split("/")[2]);
    const nameEnd = stat.lastIndexOf(")");
    parents.set(pid, Number(stat.slice(nameEnd + 2).split(" ")[1]));
    if (stat.slice(stat.indexOf("(") + 1, nameEnd) === program) pids.push(pid);
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isOurs(parents.get(pid)));
  return pids.filter(isOurs).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}

/** Returns an empty text when the process has ended. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** CPU seconds of all threads that still run, to the nanosecond. */
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
