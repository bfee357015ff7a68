import { CallError } from "@sealhouse/http-responses/outgoing";
import { SourceError } from "../import/candidate.ts";
import { complaintLines, summaryOf } from "../import/report.ts";
import type { ImportReport } from "../import/report.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";

const CONCURRENCY_MAX = 64;
const TELL_EVERY_MS = 5_000;

/** @throws {CommandError} */
export function concurrencyIn(text: string): number {
  const concurrency = Number(text);
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= CONCURRENCY_MAX) {
    return concurrency;
  }
  throw new CommandError(`--concurrency is a number from 1 to ${CONCURRENCY_MAX}.`);
}

/** Before anything is imported, what is wrong with the source is all there is to tell. */
export async function askSource<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isForPeople = error instanceof CallError || error instanceof SourceError;
    if (isForPeople) throw new CommandError(error.message);
    throw error;
  }
}

/** Tells how far it is, every five seconds. */
export function progressTo({ tell }: Command, now: () => Date): (report: ImportReport) => void {
  let toldMs = now().getTime();
  return (report) => {
    if (now().getTime() - toldMs < TELL_EVERY_MS) return;
    toldMs = now().getTime();
    tell(summaryOf(report));
  };
}

export function tellReport(
  command: Command,
  report: ImportReport,
  {
    source,
    json,
    dryRun,
  }: { readonly source: string; readonly json?: true; readonly dryRun?: true },
): void {
  if (json) {
    const shown = { source, dryRun: dryRun ?? false, ...report };
    command.print(JSON.stringify(shown, undefined, 2));
    return;
  }
  for (const line of complaintLines(report)) command.tell(line);
  command.print(summaryOf(report));
  if (report.isInterrupted) command.tell("Interrupted; the same command goes on from here.");
}
