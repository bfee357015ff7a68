import type { GarbageCase } from "./gc-case.ts";
import { garbageMarkCases } from "./gc-mark-cases.ts";
import { garbageRunCases } from "./gc-run-cases.ts";
import { garbageSweepCases } from "./gc-sweep-cases.ts";

/** Contract of the collector's ports. Independent of a test runner, like the other contract. */
export const garbageContract: readonly GarbageCase[] = [
  ...garbageMarkCases,
  ...garbageSweepCases,
  ...garbageRunCases,
];
