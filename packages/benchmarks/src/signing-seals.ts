import { runApart } from "./process-run.ts";
import type { Result } from "./result.ts";
import type { SealFigures } from "./signing-seals-process.ts";
import { median } from "./start-up.ts";

const RATE_BUDGET = { 2048: 0.25, 4096: 0.5 } as const;
const HOLD_UP_BUDGET_MS = 5;

export type SealRounds = { readonly rounds: number; readonly roundMs: number };

/** A whole seal (attributes, CMS, plan, verification) compared with bare `crypto.sign`, in turn. */
export async function measureSeals(options: SealRounds): Promise<readonly Result[]> {
  const small = await figuresOf(2048, options);
  const large = await figuresOf(4096, options);
  return [
    rateResult(4096, large),
    rateResult(2048, small),
    holdUpResult("longest hold-up of the event loop while sealing, RSA-4096", large.holdUps),
    holdUpResult("the same, packages of 5,000 files", large.manyFilesHoldUps),
    rewriteResult(large),
  ];
}

async function figuresOf(
  keySize: 2048 | 4096,
  { rounds, roundMs }: SealRounds,
): Promise<SealFigures> {
  return (await runApart("signing-seals-process.ts", [keySize, rounds, roundMs])) as SealFigures;
}

function rateResult(keySize: 2048 | 4096, { rounds }: SealFigures): Result {
  const of = (figure: (round: (typeof rounds)[number]) => number) => median(rounds.map(figure));
  const together = of((round) => round.sealsAtOnce / round.bareAtOnce);
  const rates = [of(({ seals }) => seals), of(({ bare }) => bare)].map((rate) => rate.toFixed(0));
  return {
    what: `whole seals against bare \`crypto.sign\`, RSA-${keySize}`,
    figure: of(({ seals, bare }) => seals / bare),
    unit: "of its rate",
    budget: RATE_BUDGET[keySize],
    bound: "at least",
    remark: [
      `median of ${rounds.length} pairs; ${rates[0]} seals/s against ${rates[1]}`,
      `with 8 at once ${of(({ sealsAtOnce }) => sealsAtOnce).toFixed(0)}/s, ${together.toFixed(2)}`,
    ].join("; "),
  };
}

function holdUpResult(what: string, holdUps: SealFigures["holdUps"]): Result {
  const wallMs = median(holdUps.map((holdUp) => holdUp.wallMs));
  return {
    what,
    figure: median(holdUps.map((holdUp) => holdUp.cpuMs)),
    unit: "ms",
    budget: HOLD_UP_BUDGET_MS,
    bound: "at most",
    remark: `median of ${holdUps.length} maxima of CPU time; ${wallMs.toFixed(1)} ms on the clock`,
  };
}

function rewriteResult({ rewrites, packageBytes }: SealFigures): Result {
  const of = (figure: (rewrite: (typeof rewrites)[number]) => number) =>
    median(rewrites.map(figure));
  const times = [of(({ spliceMs }) => spliceMs), of(({ rezipMs }) => rezipMs)];
  const shown = times.map((ms) => ms.toFixed(1)).join(" against ");
  const size = (packageBytes / 1024 / 1024).toFixed(1);
  return {
    what: `the signed file of ${size} MiB, by splicing instead of packing it again in memory`,
    figure: of(({ spliceMs, rezipMs }) => rezipMs / spliceMs),
    unit: "times as fast",
    budget: 2,
    bound: "at least",
    remark: `median of ${rewrites.length}; ${shown} ms`,
  };
}
