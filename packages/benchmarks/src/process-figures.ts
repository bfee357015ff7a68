import { globSync, readFileSync, writeFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

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
