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

/** Jobs that a write starts belong to its cost. */
const SETTLES_MS = 1_500;

/**
 * CPU time of two servers for the same work, taking turns: what else the machine does then costs
 * both about the same. A first round of each is not counted, because it loads and compiles code.
 */
export async function compareByTurns<S extends Side>(
  { own, other, named }: { readonly own: S; readonly other: S; readonly named: string },
  turns: Turns<S>,
): Promise<Result> {
  const { what, rounds, budget } = turns;
  for (const side of [own, other]) await cpuMsOf(side, turns, rounds);
  const pairs: { readonly own: number; readonly other: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isFirst = round % 2 === 0;
    const before = isFirst ? await cpuMsOf(other, turns, round) : undefined;
    const ownMs = await cpuMsOf(own, turns, round);
    pairs.push({ own: ownMs, other: before ?? (await cpuMsOf(other, turns, round)) });
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

async function cpuMsOf<S extends Side>(side: S, turns: Turns<S>, round: number): Promise<number> {
  const before = cpuSeconds(side.pid);
  for (let index = 0; index < turns.count; index += 1) await turns.run(side, { round, index });
  await delay(SETTLES_MS);
  return ((cpuSeconds(side.pid) - before) / turns.count) * 1_000;
}
