import { setTimeout as delay } from "node:timers/promises";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

/** A server that is measured. */
export type Side = { readonly pid: number };

export type Turns<S extends Side> = {
  readonly what: string;
  /** Runs of each side in each round. */
  readonly count: number;
  readonly rounds: number;
  /** The most that we may take, as a multiple of the other side. */
  readonly budget: number;
  readonly run: (
    side: S,
    at: { readonly round: number; readonly index: number },
  ) => Promise<unknown>;
};

/** The servers to compare. */
export type Sides<S extends Side> = {
  readonly own: S;
  readonly other: S;
  /** The name of `other`. */
  readonly named: string;
  /** CPU seconds of a process so far. Default: with its ended threads, in steps of 10 ms. */
  readonly seconds?: (pid: number) => number;
};

/** Jobs that a write starts belong to its cost. */
const SETTLES_MS = 1_500;

/**
 * CPU time of two servers for the same work, taking turns: what else the machine does then costs
 * both about the same. A first round of each is not counted, because it loads and compiles code.
 */
export async function compareByTurns<S extends Side>(
  { own, other, named, seconds = cpuSeconds }: Sides<S>,
  turns: Turns<S>,
): Promise<Result> {
  const { what, rounds, budget } = turns;
  const cpuMsOf = (side: S, round: number) => measured(side, turns, { round, seconds });
  for (const side of [own, other]) await cpuMsOf(side, rounds);
  const pairs: { readonly own: number; readonly other: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isFirst = round % 2 === 0;
    const before = isFirst ? await cpuMsOf(other, round) : undefined;
    const ownMs = await cpuMsOf(own, round);
    pairs.push({ own: ownMs, other: before ?? (await cpuMsOf(other, round)) });
  }
  const ms = (side: "own" | "other") => median(pairs.map((pair) => pair[side])).toFixed(2);
  return {
    what,
    figure: median(pairs.map((pair) => pair.own / pair.other)),
    unit: `times the CPU of ${named}`,
    budget,
    bound: "at most",
    remark: [
      `median of ${rounds} pairs of ${turns.count}`,
      `${ms("own")} against ${ms("other")} ms each`,
    ].join("; "),
  };
}

/** Milliseconds of CPU of each run in a round. */
async function measured<S extends Side>(
  side: S,
  { count, run }: Turns<S>,
  { round, seconds }: { readonly round: number; readonly seconds: (pid: number) => number },
): Promise<number> {
  const before = seconds(side.pid);
  for (let index = 0; index < count; index += 1) await run(side, { round, index });
  await delay(SETTLES_MS);
  return ((seconds(side.pid) - before) / count) * 1_000;
}
