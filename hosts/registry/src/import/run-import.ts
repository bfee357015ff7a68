import { allEnded, createLimit } from "@sealhouse/http-responses/outgoing";
import type { Candidate, CandidateGroup } from "./candidate.ts";
import { SourceError } from "./candidate.ts";
import { inParallel } from "./in-parallel.ts";
import type { ImportReport, ReportKeeper } from "./report.ts";
import { createReport } from "./report.ts";
import type { TakeOptions, TakePorts } from "./take.ts";
import { take } from "./take.ts";

export type ImportOptions = TakeOptions & {
  /** Files under way at once. */
  readonly concurrency: number;
  /** Told of each file that was looked at. */
  readonly onProgress: (report: ImportReport) => void;
};

/**
 * Takes every candidate of the groups, in one pass after the other: symbols need their packages.
 * A source that fails in part does not end it; when the signal aborts, it ends with what is done.
 */
export async function runImport(
  ports: TakePorts,
  passes: readonly AsyncIterable<CandidateGroup>[],
  options: ImportOptions,
): Promise<ImportReport> {
  const keeper = createReport();
  const limit = createLimit(options.concurrency);
  const one = (candidate: Candidate) => limit(() => takeAndTell(ports, candidate, keeper, options));
  try {
    for (const groups of passes) {
      await inParallel(groups, options.concurrency, async (group) => {
        options.signal.throwIfAborted();
        const first = await allFine(group, group.load, { keeper, one, signal: options.signal });
        const then = group.loadThen ?? nothing;
        const second = await allFine(group, then, { keeper, one, signal: options.signal });
        if (first && second) group.done?.();
      });
    }
  } catch (error) {
    if (!options.signal.aborted) throw error;
    keeper.stop();
  }
  return keeper.report();
}

/** Gives whether there is nothing left to try again. */
async function allFine(
  { label }: CandidateGroup,
  load: CandidateGroup["load"],
  how: {
    readonly keeper: ReportKeeper;
    readonly one: (candidate: Candidate) => Promise<boolean>;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { keeper, one, signal } = how;
  try {
    const fine = await allEnded((await load(signal)).map(one));
    return fine.every(Boolean);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    keeper.fail({ name: label, reason: error.message });
    return false;
  }
}

async function nothing(): Promise<readonly Candidate[]> {
  return [];
}

/** Gives whether there is nothing left to try again. */
async function takeAndTell(
  ports: TakePorts,
  candidate: Candidate,
  keeper: ReportKeeper,
  options: ImportOptions,
): Promise<boolean> {
  const taken = await take(ports, candidate, options);
  keeper.add(taken, { name: candidate.label, kind: candidate.kind });
  options.onProgress(keeper.report());
  return taken.status !== "failed";
}
