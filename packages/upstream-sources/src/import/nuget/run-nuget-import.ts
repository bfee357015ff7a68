import { allEnded, createLimit } from "@sealhouse/http-responses/outgoing";
import { isSourceError } from "../../source-error.ts";
import { forEachConcurrent } from "../for-each-concurrent.ts";
import type { ImportReport, ReportKeeper } from "../report.ts";
import { createReport } from "../report.ts";
import type { Candidate, CandidateGroup } from "./candidate.ts";
import type { CandidateOptions, NuGetImportPorts } from "./import-candidate.ts";
import { importCandidate } from "./import-candidate.ts";

/** Options of `runNuGetImport`. */
export type NuGetImportOptions = CandidateOptions & {
  /** Maximum number of files in progress. */
  readonly concurrency: number;
  /** Called after each file. */
  readonly onProgress: (report: ImportReport) => void;
};

/**
 * Imports every candidate, one pass after the other: symbol packages require their packages.
 * Continues after a `SourceError`. When the signal aborts, returns the report so far.
 */
export async function runNuGetImport(
  ports: NuGetImportPorts,
  passes: readonly (AsyncIterable<CandidateGroup> | Iterable<CandidateGroup>)[],
  options: NuGetImportOptions,
): Promise<ImportReport> {
  const { concurrency, signal } = options;
  const keeper = createReport();
  const limit = createLimit(concurrency);
  const importOne = (candidate: Candidate) =>
    limit(() => importAndReport(ports, candidate, keeper, options));
  try {
    for (const groups of passes) {
      await forEachConcurrent(groups, concurrency, async (group) => {
        signal.throwIfAborted();
        const first = await importAll(group, group.load, { keeper, importOne, signal });
        const then = group.loadThen ?? noCandidates;
        const second = await importAll(group, then, { keeper, importOne, signal });
        if (first && second) group.done?.();
      });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    keeper.stop();
  }
  return keeper.report();
}

/** Returns false when another attempt may import more. */
async function importAll(
  { label }: CandidateGroup,
  load: CandidateGroup["load"],
  run: {
    readonly keeper: ReportKeeper;
    readonly importOne: (candidate: Candidate) => Promise<boolean>;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { keeper, importOne, signal } = run;
  const warn = (reason: string) => keeper.warn({ name: label, reason });
  try {
    const results = await allEnded((await load(signal, warn)).map(importOne));
    return results.every(Boolean);
  } catch (error) {
    signal.throwIfAborted();
    if (!isSourceError(error)) throw error;
    keeper.fail({ name: label, reason: error.message });
    return false;
  }
}

async function noCandidates(): Promise<readonly Candidate[]> {
  return [];
}

/** Returns false when another attempt may import it. */
async function importAndReport(
  ports: NuGetImportPorts,
  candidate: Candidate,
  keeper: ReportKeeper,
  options: NuGetImportOptions,
): Promise<boolean> {
  const outcome = await importCandidate(ports, candidate, options);
  keeper.add(outcome, { name: candidate.label, kind: candidate.kind });
  options.onProgress(keeper.report());
  return outcome.status !== "failed";
}
