import { expect, test } from "vitest";
import { describeViolation, firstViolation } from "../testing/interleaving/first-violation.ts";
import { openMemoryRegistry } from "../testing/interleaving/memory-simulation.ts";
import type { Simulation } from "../testing/interleaving/run-seed.ts";

/** One seed alone, to look at: `SEALHOUSE_GC_SEED=314 vitest run <this file>`. */
const seed = process.env["SEALHOUSE_GC_SEED"];
/** `pnpm test:extended` tries more. */
const seeds = process.env["SEALHOUSE_FAULT_ROUNDS"] === undefined ? 1_500 : 30_000;
const range = seed === undefined ? { seeds } : { first: Number(seed), seeds: 1 };
/** About five seconds of a processor, which others may want too. */
const TIMEOUT_MS = 300_000;

test(
  "keeps every promise however pushes, deletions, crashes and collections interleave",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const violation = await firstViolation((simulation) => openMemoryRegistry(simulation), range);
    expect(describeViolation(violation)).toBeUndefined();
  },
);

test.each(["no-touch", "no-lock", "no-recheck", "no-generation"] as const)(
  "notices a registry with the flaw %s",
  { timeout: TIMEOUT_MS },
  async (flaw) => {
    const open = (simulation: Simulation) => openMemoryRegistry(simulation, flaw);
    const violation = await firstViolation(open, { seeds: 10_000 });
    expect(violation?.error).toMatchObject({ name: "Violation" });
    const again = await firstViolation(open, {
      first: violation?.seed ?? 0,
      seeds: 1,
    });
    expect(again).toEqual(violation);
  },
);
