import type { Candidate, CandidateGroup } from "./candidate.ts";
import { SourceError } from "./candidate.ts";
import { allEnded, createLimit, inParallel } from "./in-parallel.ts";
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
        const candidates = await loaded(group, keeper, options.signal);
        const fine = await allEnded((candidates ?? []).map(one));
        if (candidates && fine.every(Boolean)) group.done?.();
      });
    }
  } catch (error) {
    if (!options.signal.aborted) throw error;
    keeper.stop();
  }
  return keeper.report();
}

/** Undefined when the source could not give them. */
async function loaded(
  group: CandidateGroup,
  keeper: ReportKeeper,
  signal: AbortSignal,
): Promise<readonly Candidate[] | undefined> {
  try {
    return await group.load(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    keeper.fail({ name: group.label, reason: error.message });
    return undefined;
  }
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
