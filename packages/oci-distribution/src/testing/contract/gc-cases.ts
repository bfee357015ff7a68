import type { GarbageCase } from "./gc-case.ts";
import { garbageMarkCases } from "./gc-mark-cases.ts";
import { garbageRunCases } from "./gc-run-cases.ts";
import { garbageSweepCases } from "./gc-sweep-cases.ts";

/** What every answer to the collector's ports must do. Runner-neutral, as the other contract. */
export const garbageContract: readonly GarbageCase[] = [
  ...garbageMarkCases,
  ...garbageSweepCases,
  ...garbageRunCases,
];
