import { runApart } from "./process-run.ts";
import type { Result } from "./result.ts";
import type { VerifyFigures } from "./signing-verify-process.ts";
import { median } from "./start-up.ts";

const TIME_BUDGET = 1.3;
export const MEMORY_BUDGET_MIB = 32;

/** Verification of a signed package on disk compared with hashing it, in turn. */
export async function measureVerification(
  path: string,
  { mib, rounds }: { readonly mib: number; readonly rounds: number },
): Promise<readonly Result[]> {
  const figures = (await runApart("signing-verify-process.ts", [path, rounds])) as VerifyFigures;
  const of = (figure: (round: VerifyFigures["rounds"][number]) => number) =>
    median(figures.rounds.map(figure));
  const pair = (time: number, other: number) => `${time.toFixed(0)} against ${other.toFixed(0)} ms`;
  return [
    {
      what: `verification of ${mib} MiB against hashing it (SHA-256)`,
      figure: of(({ verifyMs, sha256Ms }) => verifyMs / sha256Ms),
      unit: "times as long",
      budget: TIME_BUDGET,
      bound: "at most",
      remark: `median of ${rounds}; ${pair(
        of((round) => round.verifyMs),
        of((round) => round.sha256Ms),
      )}`,
    },
    {
      what: "the same with the contentHash (SHA-256 and SHA-512)",
      figure: of(({ verifyBothMs, bothMs }) => verifyBothMs / bothMs),
      unit: "times as long",
      budget: TIME_BUDGET,
      bound: "at most",
      remark: pair(
        of((round) => round.verifyBothMs),
        of((round) => round.bothMs),
      ),
    },
    {
      what: `memory of that verification`,
      figure: figures.growthMib,
      unit: "MiB over rest",
      budget: MEMORY_BUDGET_MIB,
      bound: "at most",
    },
  ];
}
