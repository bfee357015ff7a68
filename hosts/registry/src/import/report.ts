import { printableLine } from "../printable.ts";
import type { Taken } from "./take.ts";

export type Complaint = { readonly name: string; readonly reason: string };

/** What an import did. */
export type ImportReport = {
  readonly imported: number;
  /** In a dry run: what would have been imported. */
  readonly wanted: number;
  readonly present: number;
  readonly refused: number;
  readonly failed: number;
  readonly symbols: number;
  /** The first of them, as of the other lists; the numbers above are exact. */
  readonly refusals: readonly Complaint[];
  readonly failures: readonly Complaint[];
  /** What a push would have been told, too: mostly what an author should change. */
  readonly warnings: readonly Complaint[];
  /** The import was told to stop before its end. */
  readonly isInterrupted: boolean;
  /** Everything that was wanted of the source is here now. */
  readonly isComplete: boolean;
};

export type ReportKeeper = {
  add(taken: Taken, about: { readonly name: string; readonly kind: "package" | "symbols" }): void;
  /** A part of the source that could not be looked at. */
  fail(complaint: Complaint): void;
  stop(): void;
  report(): ImportReport;
};

const COMPLAINTS_MAX = 10_000;

export function createReport(): ReportKeeper {
  const counts = { imported: 0, wanted: 0, present: 0, refused: 0, failed: 0, symbols: 0 };
  const refusals: Complaint[] = [];
  const failures: Complaint[] = [];
  const warnings: Complaint[] = [];
  let isInterrupted = false;
  const keep = (list: Complaint[], complaint: Complaint) => {
    if (list.length < COMPLAINTS_MAX) list.push(complaint);
  };
  return {
    add(taken, { name, kind }) {
      if (taken.status === "none") return;
      const isNew = taken.status === "imported" || taken.status === "wanted";
      counts[isNew && kind === "symbols" ? "symbols" : taken.status] += 1;
      if (taken.status === "refused") keep(refusals, { name, reason: taken.reason });
      if (taken.status === "failed") keep(failures, { name, reason: taken.reason });
      if (!isNew) return;
      for (const reason of taken.warnings) keep(warnings, { name, reason });
    },
    fail(complaint) {
      counts.failed += 1;
      keep(failures, complaint);
    },
    stop: () => (isInterrupted = true),
    report: () => ({
      ...counts,
      refusals,
      failures,
      warnings,
      isInterrupted,
      isComplete: !isInterrupted && counts.refused + counts.failed === 0,
    }),
  };
}

/** `3 imported (1 symbol package), 2 present, 1 refused, 0 failed`. */
export function summaryOf(report: ImportReport): string {
  const taken = report.wanted > 0 ? `${report.wanted} to import` : `${report.imported} imported`;
  const symbols = report.symbols === 0 ? "" : `, ${report.symbols} symbol packages`;
  const { present, refused, failed } = report;
  return `${taken}${symbols}, ${present} present, ${refused} refused, ${failed} failed`;
}

/** One line each, for people. */
export function complaintLines(report: ImportReport): readonly string[] {
  const line = (word: string) => (one: Complaint) =>
    printableLine(`${word} ${one.name}: ${one.reason}`);
  return [...report.refusals.map(line("refused")), ...report.failures.map(line("failed"))];
}
