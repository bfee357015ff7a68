import { isCallError } from "@sealhouse/http-responses/outgoing";
import { isSourceError } from "@sealhouse/upstream-sources";
import type { Complaint, ImportReport } from "@sealhouse/upstream-sources";
import { printableLine } from "../printable.ts";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";

const CONCURRENCY_MAX = 64;
const PRINT_EVERY_MS = 5_000;
/** Names in the line of a warning. */
const NAMES_MAX = 5;

/** @throws {CommandError} */
export function concurrencyIn(text: string): number {
  const concurrency = Number(text);
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= CONCURRENCY_MAX) {
    return concurrency;
  }
  throw new CommandError(`--concurrency must be a number from 1 to ${CONCURRENCY_MAX}.`);
}

/** Converts a failure of the source to a `CommandError`, which is printed without a stack. */
export async function withCommandErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isUserError = isCallError(error) || isSourceError(error);
    if (isUserError) throw new CommandError(error.message);
    throw error;
  }
}

/** Prints how to continue when a command is stopped. */
export async function untilStopped<T>(
  { stop, stderr }: Command,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (stop.aborted) stderr("Interrupted. Run the same command again.");
    throw error;
  }
}

/** Prints the totals every five seconds. */
export function progressTo(command: Command, now: () => Date): (report: ImportReport) => void {
  return everyFewSeconds(now, (report) => command.stderr(summaryOf(report)));
}

/** Calls `print` every five seconds at most. */
export function everyFewSeconds<T>(
  now: () => Date,
  print: (report: T) => void,
): (report: T) => void {
  let printedMs = now().getTime();
  return (report) => {
    if (now().getTime() - printedMs < PRINT_EVERY_MS) return;
    printedMs = now().getTime();
    print(report);
  };
}

export function printReport(
  command: Command,
  report: ImportReport,
  {
    source,
    json,
    dryRun,
  }: { readonly source: string; readonly json?: true; readonly dryRun?: true | undefined },
): void {
  if (json) {
    const shown = { source, dryRun: dryRun ?? false, ...report };
    command.stdout(JSON.stringify(shown, undefined, 2));
    return;
  }
  for (const line of complaintLines(report)) command.stderr(line);
  for (const line of warningLines(report)) command.stderr(line);
  if (report.refused > 1) command.stderr(refusalTotals(report));
  command.stdout(summaryOf(report));
  if (report.isInterrupted) command.stderr("Interrupted. Run the same command again to continue.");
}

/** `3 imported, 1 symbol packages, 2 existing, 1 refused, 0 failed`. */
function summaryOf(report: ImportReport): string {
  const added =
    report.importable > 0 ? `${report.importable} to import` : `${report.imported} imported`;
  const symbols = report.symbols === 0 ? "" : `, ${report.symbols} symbol packages`;
  const { existing, refused, failed } = report;
  return `${added}${symbols}, ${existing} existing, ${refused} refused, ${failed} failed`;
}

/** `refused by reason: 3 manifest-differs, 1 deleted`. */
function refusalTotals({ refusedBy }: ImportReport): string {
  const totals = Object.entries(refusedBy).toSorted(([, a], [, b]) => b - a);
  return `refused by reason: ${totals.map(([kind, count]) => `${count} ${kind}`).join(", ")}`;
}

/** One line for each warning, with the number of packages and the first of them. */
function warningLines({ warnings }: ImportReport): readonly string[] {
  const byReason = Map.groupBy(warnings, ({ reason }) => reason);
  return [...byReason].map(([reason, group]) => {
    const names = group.slice(0, NAMES_MAX).map(({ name }) => name);
    const more = group.length > NAMES_MAX ? ` and ${group.length - NAMES_MAX} more` : "";
    return printableLine(`warning ${names.join(", ")}${more}: ${reason}`);
  });
}

function complaintLines(report: ImportReport): readonly string[] {
  const line = (word: string) => (complaint: Complaint) =>
    printableLine(`${word} ${complaint.name}: ${complaint.reason}`);
  return [...report.refusals.map(line("refused")), ...report.failures.map(line("failed"))];
}
