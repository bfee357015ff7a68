import { setImmediate } from "node:timers/promises";
import type { Simulation } from "./run-seed.ts";
import { runSeed } from "./run-seed.ts";
import type { SimulatedRegistry } from "./watched-ports.ts";

export type FoundViolation = {
  readonly seed: number;
  readonly error: unknown;
  /** Every step up to it. */
  readonly trace: readonly string[];
};

/** Seeds between two turns for timers and messages of the process. */
const SEEDS_AT_ONCE = 100;

/** The first of the seeds from `first` on whose run breaks a promise. The seed alone gives the same
 * run again. */
export async function firstViolation(
  open: (simulation: Simulation) => SimulatedRegistry | Promise<SimulatedRegistry>,
  { first = 0, seeds }: { readonly first?: number; readonly seeds: number },
): Promise<FoundViolation | undefined> {
  for (let seed = first; seed < first + seeds; seed += 1) {
    if (seed % SEEDS_AT_ONCE === 0) await setImmediate();
    const error = await failureOf(seed, open);
    if (error === undefined) continue;
    const trace: string[] = [];
    await failureOf(seed, open, (line) => void trace.push(line));
    return { seed, error, trace };
  }
  return undefined;
}

/** Text of the violation for `expect`. */
export function describeViolation(violation: FoundViolation | undefined): string | undefined {
  if (!violation) return undefined;
  const { seed, error, trace } = violation;
  const end = trace.slice(-40).map((line) => `  ${line}`);
  return [`seed ${seed}: ${String(error)}`, "The last steps:", ...end].join("\n");
}

async function failureOf(
  seed: number,
  open: (simulation: Simulation) => SimulatedRegistry | Promise<SimulatedRegistry>,
  trace?: (line: string) => void,
): Promise<unknown> {
  try {
    await runSeed(seed, open, trace ? { trace } : {});
    return undefined;
  } catch (error) {
    return error;
  }
}
