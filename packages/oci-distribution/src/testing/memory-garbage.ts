import type { GarbageCatalog } from "../gc/ports.ts";
import { createMemoryMarks } from "./memory-marks.ts";
import { createMemoryReports, createMemoryRuns } from "./memory-runs.ts";
import type { State } from "./memory-state.ts";
import { createMemorySweeps } from "./memory-sweeps.ts";

export function createMemoryGarbage(state: State): GarbageCatalog {
  return {
    runs: createMemoryRuns(state),
    marks: createMemoryMarks(state),
    sweeps: createMemorySweeps(state),
    reports: createMemoryReports(state),
  };
}
